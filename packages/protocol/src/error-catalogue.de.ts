import type { ErrorCode } from './error-catalogue.js';

type Words = readonly [title: string, advice: string];

/**
 * The refusals that people meet on the pages, in German. Problem documents stay in English: they are for programs and logs. So
 * do codes that only programs meet, and those whose problem document says more than the catalogue.
 */
export const ERRORS_IN_GERMAN: Partial<Record<ErrorCode, Words>> = {
  purpose_decision_mismatch: [
    'Die Entscheidung passt nicht zum Zweck des Antrags',
    'Bei einer Prüfung: beantworten, zustimmen oder ablehnen. Bei einer Ausführung: freigeben oder verweigern.',
  ],
  response_complexity: [
    'Die Antwort ist zu tief verschachtelt oder zu aufwendig zu prüfen',
    'Senden Sie eine kleinere Antwort, oder bitten Sie den Antragsteller um ein einfacheres Schema.',
  ],
  response_schema_mismatch: [
    'Die Antwort passt nicht zum Schema des Antrags',
    'Korrigieren Sie die Antwort und legen Sie sie noch einmal vor.',
  ],
  schema_validation_timeout: [
    'Die Prüfung gegen das Antwortschema hat zu lange gedauert',
    'Senden Sie eine kürzere Antwort, oder bitten Sie den Antragsteller um ein einfacheres Schema.',
  ],
  schema_resource_limit: [
    'Die Prüfung gegen das Antwortschema hat zu viel Speicher gebraucht',
    'Senden Sie eine kürzere Antwort, oder bitten Sie den Antragsteller um ein einfacheres Schema.',
  ],
  reconciliation_evidence_required: [
    'Eine Klärung braucht eine Begründung und Belege',
    'Geben Sie in den Einzelheiten eine Begründung und Belege an.',
  ],
  identity_mismatch: [
    'Adresse und Eingabe nennen verschiedene Einträge',
    'Verwenden Sie an beiden Stellen dieselbe Kennung.',
  ],
  invalid_principal: [
    'Der Eintrag passt nicht zu seinem Schema',
    'Vergleichen Sie die Angaben mit PrincipalInput in der API-Beschreibung; unbekannte Felder werden abgelehnt.',
  ],
  invalid_human: [
    'Eine Person hat keine verwendbare Identität',
    'Geben Sie oidc_subject und oidc_issuer an, letzteren genau wie in OIDC_ISSUER, und kein Token.',
  ],
  webhook_destination_rejected: [
    'Die Webhook-Adresse ist nicht erlaubt',
    'Verwenden Sie eine https-Adresse auf Port 443 ohne Benutzerangabe und Fragment, auf einem Host, den der Betrieb erlaubt hat.',
  ],
  verified_email_required: [
    'Die E-Mail-Adresse ist nicht bestätigt oder nicht verwendbar',
    'Geben Sie eine einfache Adresse wie ruth@example.org zusammen mit email_verified: true an, oder lassen Sie beides weg.',
  ],
  publisher_and_owner_required: [
    'Dem Antragsteller fehlt sein Herausgeber oder sein Eigentümer',
    'Nennen Sie in den Einstellungen einen vorhandenen Herausgeber und den Eigentümer, eine Person.',
  ],
  invalid_route: [
    'Die Route passt nicht zu ihrem Schema',
    'Vergleichen Sie die Angaben mit RouteInput in der API-Beschreibung; unbekannte Felder werden abgelehnt.',
  ],
  invalid_route_limits: [
    'Eine Grenze der Route liegt außerhalb ihres Bereichs',
    'Setzen Sie jede Grenze auf eine ganze Zahl von 1 bis zu ihrem Vorgabewert.',
  ],
  separation_of_duties_required: [
    'Eine Route im Produktivbetrieb muss Aufgaben trennen',
    'Setzen Sie separation_of_duties auf true.',
  ],
  unauthenticated: [
    'Sie sind nicht angemeldet',
    'Melden Sie sich wieder an. Wer gesperrt wurde, kann das nicht.',
  ],
  invalid_login: [
    'Diese Anmeldung ist unbekannt oder abgelaufen',
    'Beginnen Sie die Anmeldung von vorn, in einem einzigen Tab.',
  ],
  login_session_changed: [
    'Die Sitzung hat sich während der Anmeldung geändert',
    'Beginnen Sie die Anmeldung von vorn.',
  ],
  invalid_identity: [
    'Der Identitätsanbieter hat eine unbrauchbare Identität gesendet',
    'Melden Sie sich noch einmal an. Bleibt es dabei, bitten Sie den Betrieb, den Identitätsanbieter zu prüfen.',
  ],
  fresh_login_required: [
    'Diese Route verlangt vor der Bestätigung eine neue Anmeldung',
    'Melden Sie sich noch einmal an und bestätigen Sie erneut: Die eingefrorene Antwort bleibt, wie sie ist.',
  ],
  forbidden: [
    'Das dürfen Sie nicht',
    'Wenden Sie sich an den Eigentümer des Antrags oder an den Betrieb.',
  ],
  human_required: ['Das dürfen nur Personen', 'Melden Sie sich als Person an.'],
  operator_required: ['Das darf nur der Betrieb', 'Bitten Sie den Betrieb Ihres Mandanten darum.'],
  csrf: [
    'Dem Aufruf fehlt der Nachweis, dass er von dieser Seite kommt',
    'Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  ],
  separation_of_duties: [
    'Wer etwas beantragt oder eingerichtet hat, entscheidet nicht darüber',
    'Lassen Sie einen anderen Prüfer der Route entscheiden. Sie sind die Person, für die beantragt wurde, oder der Eigentümer, oder Sie haben zuletzt etwas an der Route, ihren Prüfern, ihrem Antragsteller oder dessen Token eingestellt; eine andere Person des Betriebs kann das neu einstellen.',
  ],
  operator_reconciliation_required: [
    'Nur der Betrieb darf eine Ausführung als aufgegeben melden',
    'Melden Sie einen anderen Stand, oder bitten Sie den Betrieb um Klärung.',
  ],
  directory_identity_unavailable: [
    'Die angemeldete Person steht nicht im Verzeichnis',
    'Bitten Sie den Betrieb, diese Identität genau einmal als aktive Person einzutragen.',
  ],
  not_found: [
    'Hier ist nichts, oder nicht für Sie',
    'Prüfen Sie die Adresse. Was Sie nicht sehen dürfen, antwortet wie etwas, das es nicht gibt.',
  ],
  idempotency_conflict: [
    'Dieser Vorgang wurde schon mit anderem Inhalt gesendet',
    'Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  ],
  identity_conflict: [
    'Diese Identität ist schon vergeben',
    'Wählen Sie ein Token, das noch nie verwendet wurde.',
  ],
  material_integrity_mismatch: [
    'Der gespeicherte Antrag stimmt nicht mit seinen Prüfsummen überein',
    'Verlassen Sie sich nicht darauf. Sagen Sie es dem Betrieb; der Antrag muss neu gestellt werden.',
  ],
  evidence_incomplete: [
    'Das Ledger enthält den Antrag noch nicht vollständig',
    'Versuchen Sie es in einigen Sekunden wieder. Bleibt es dabei, wird nichts verankert: Sagen Sie es dem Betrieb.',
  ],
  bundle_integrity_mismatch: [
    'Die gespeicherte App stimmt nicht mit ihrer Bindung überein',
    'Verwenden Sie das Formular der Seite und sagen Sie es dem Betrieb.',
  ],
  request_not_pending: [
    'Über den Antrag kann nicht mehr entschieden werden',
    'Sehen Sie nach seinem Stand. Wird noch eine Entscheidung gebraucht, muss ein neuer Antrag gestellt werden.',
  ],
  reviewer_ineligible: [
    'Sie dürfen über diesen Antrag zurzeit nicht entscheiden',
    'Bitten Sie den Betrieb, die Prüfer der Route zu prüfen. Ein Antrag nach einer älteren Regel muss ersetzt werden.',
  ],
  review_assigned: [
    'Der Antrag ist einem anderen Prüfer zugewiesen',
    'Warten Sie, bis die Zuweisung abläuft. Sie ist nur ein Hinweis; entscheiden können Sie trotzdem.',
  ],
  candidate_changed: [
    'Das ist nicht mehr Ihre aktuelle Antwort',
    'Legen Sie die Antwort noch einmal vor, vergleichen Sie sie und bestätigen Sie die neue.',
  ],
  requester_identity_unavailable: [
    'Der Antrag ist für keine aktive Person mit gesicherter Identität gestellt',
    'Bitten Sie den Betrieb, den Eigentümer des Antragstellers zu prüfen.',
  ],
  execution_purpose_required: [
    'Dieser Antrag gibt keine Ausführung frei',
    'Verwenden Sie einen Antrag, der eine Ausführung freigeben soll.',
  ],
  claim_unavailable: [
    'Die Ausführung ist nicht beansprucht',
    'Sehen Sie nach dem Stand des Antrags.',
  ],
  outcome_conflict: [
    'Es ist schon ein anderes Ergebnis festgehalten',
    'Behalten Sie es bei, oder bitten Sie den Betrieb um Klärung mit Belegen.',
  ],
  principal_kind_immutable: [
    'Die Art eines Eintrags ändert sich nie',
    'Sperren Sie diesen Eintrag und legen Sie einen neuen an.',
  ],
  human_identity_immutable: [
    'Die Identität einer Person ändert sich nie',
    'Sperren Sie diesen Eintrag und legen Sie für die andere Identität einen neuen an.',
  ],
  namespace_retired: [
    'Der Bereich dieses Antrags wurde bei einer Wiederherstellung stillgelegt',
    'Nichts wird ausgeführt. Der Antrag muss neu gestellt werden.',
  ],
  material_deleted: [
    'Die vertraulichen Inhalte wurden gelöscht',
    'Sie kommen nicht zurück. Die signierten Datensätze bleiben im Export.',
  ],
  bundle_deleted: ['Die App wurde gelöscht', 'Verwenden Sie das Formular der Seite.'],
  idempotent_result_expired: [
    'Die gespeicherte Antwort zu diesem Vorgang ist gelöscht',
    'Die Wirkung ist eingetreten. Sehen Sie nach dem Stand, statt den Vorgang zu wiederholen.',
  ],
  response_too_large: ['Die Antwort ist zu groß', 'Kürzen Sie die Antwort.'],
  app_snapshot_too_large: [
    'Die Daten sind zu groß für die App',
    'Verwenden Sie das Formular der Seite; sie zeigt alle Daten.',
  ],
  schema_validation_too_large: [
    'Schema und Antwort sind zusammen zu groß, um geprüft zu werden',
    'Kürzen Sie die Antwort, oder bitten Sie den Antragsteller um ein kürzeres Schema.',
  ],
  rate_limited: ['Zu viele Aufrufe', 'Warten Sie einige Sekunden und machen Sie dann weiter.'],
  proposal_revision_limit: [
    'Zu diesem Antrag gibt es keine weiteren Antworten von Ihnen',
    'Bestätigen Sie die letzte, oder lassen Sie einen anderen Prüfer entscheiden.',
  ],
  reminder_limit: ['Im letzten Tag wurde schon erinnert', 'Warten Sie, bis ein Tag vergangen ist.'],
  service_unavailable: [
    'Der Dienst kann zurzeit nicht sicher antworten',
    'Versuchen Sie es nach einer Weile wieder. Bis dahin gilt nichts als erlaubt.',
  ],
  identity_uncertain: [
    'Ihre Identität ist zurzeit nicht gesichert',
    'Bitten Sie den Betrieb, sie im Verzeichnis zu bestätigen.',
  ],
  requester_identity_uncertain: [
    'Die Identität der Person, für die beantragt wurde, ist zurzeit nicht gesichert',
    'Bitten Sie den Betrieb, sie im Verzeichnis zu bestätigen.',
  ],
  schema_validation_busy: [
    'Es warten zu viele Prüfungen',
    'Versuchen Sie es in einigen Sekunden wieder.',
  ],
  schema_validation_unavailable: [
    'Die Prüfung von Antworten läuft nicht',
    'Versuchen Sie es in einigen Sekunden wieder. Bleibt es dabei, sagen Sie es dem Betrieb.',
  ],
};
