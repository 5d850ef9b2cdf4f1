import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { approvals as English } from '../approvals.js';

export const approvals: Translation<typeof English> = {
  title: 'Hier entscheiden mehrere Personen',
  loading: 'Die Stimmen werden geladen …',
  seatsOf: (count, group) => `${number(count)} aus ${group}`,
  and: ' und ',
  needs: (seats) => `Nötig: ${seats}.`,
  needsInOrder: 'Nötig, eine Stufe nach der anderen:',
  teams: 'Jede aus einem anderen Team.',
  persons: 'Jeder Platz braucht eine andere Person.',
  rejection: (count) =>
    count === 1
      ? 'Ein einziges Nein lehnt den Antrag ab.'
      : `${number(count)} Personen mit einem Nein lehnen den Antrag ab.`,
  phases: {
    collecting: 'Stimmen werden gesammelt',
    reached: 'Entschieden: alle Plätze sind besetzt',
    rejected: 'Entschieden: genug Personen sagten Nein',
    ended: 'Ohne Entscheidung beendet',
  },
  unreachable: 'Die offenen Plätze lassen sich nicht besetzen',
  shortOf: (group, needed, eligible, stage) =>
    `${stage}: ${number(needed)} aus ${group} nötig, ${number(eligible)} können abstimmen.`,
  unreachableLead:
    'Der Antrag bleibt bis zu seiner Frist offen. Ein Betreiber kann die Gruppen ändern.',

  candidates: 'Antworten',
  noCandidates: 'Es gibt noch keine Antwort. Diese Plätze sind offen:',
  answerBy: 'Antwort von',
  filled: (filled, all) => `${number(filled)} von ${number(all)}`,
  noVotes: (votes, needed) => `${number(votes)} von ${number(needed)} Nein-Stimmen`,
  stage: (at, name) => `Stufe ${number(at)}: ${name}`,
  stageOpen: 'jetzt offen',
  stageDone: 'vollständig',
  stageLater: 'später',
  openSeat: 'offen',
  readAnswer: 'Diese Antwort lesen',
  notShown: 'Die Antwort selbst wird Ihnen jetzt nicht gezeigt.',

  votes: 'Stimmen',
  noVotesYet: 'Es gibt noch keine Stimme.',
  voteOn: (author) => `zur Antwort von ${author}`,
  voteStates: { live: 'gilt', counted: 'zählt', ended: 'beendet', lapsed: 'verfallen' },
  endedReasons: {
    withdrawn: 'zurückgenommen',
    candidate_replaced: 'die Antwort wurde geändert',
    candidate_gone: 'die Antwort ist fort',
    member_removed: 'die Person verlor den Platz',
    earlier_stage_reopened: 'eine frühere Stufe wurde wieder offen',
    same_person: 'dieselbe Person hatte schon abgestimmt',
  },

  approveThis: 'Dieser Antwort zustimmen …',
  confirmNo: 'Dieses Nein bestätigen …',
  sayNo: 'Nein sagen …',
  another: 'Eine andere Antwort vorbereiten …',
  replaces:
    'Sie haben eine Antwort vorbereitet. Eine neue ersetzt sie und beendet die Stimmen für sie.',
  othersApprove: 'Ihre Antwort liegt für die anderen bereit',
  othersApproveLead: 'Auf dieser Route stimmt niemand der eigenen Antwort zu.',
  prepared: 'Ihre Antwort ist vorbereitet, und noch ist nichts signiert.',

  whyNotTitle: 'Sie können jetzt nicht abstimmen',
  whyNotYes: 'Sie können jetzt nicht zustimmen',
  whyNot: {
    reviewer_ineligible: 'Keine Ihrer Gruppen hat einen Platz in dieser Entscheidung.',
    separation_of_duties:
      'Die Regeln schließen Sie aus: Sie haben gefragt, der Antrag gehört Ihnen, Sie haben die Antwort selbst vorbereitet, oder die Route schließt Ihre Rolle aus.',
    request_not_pending: 'Der Antrag kann nicht mehr entschieden werden.',
    approval_exists:
      'Sie haben abgestimmt. Nehmen Sie Ihre Stimme zurück, um eine andere zu geben.',
    stage_not_open: 'Ihr Platz ist nicht in der offenen Stufe. Nein sagen können Sie jederzeit.',
    candidate_changed: 'Es gibt noch keine Antwort, der Sie zustimmen könnten.',
    identity_uncertain: 'Der Dienst ist nicht sicher, wer Sie sind. Ein Betreiber kann das klären.',
    human_key_required:
      'Diese Entscheidung verlangt einen Schlüssel von Ihnen, und Sie haben keinen, der hier zählt. Fügen Sie einen hinzu, oder warten Sie, bis sich ein Betreiber für ihn verbürgt hat.',
    approval_unavailable: 'Es gibt keine Stimme von Ihnen, die sich zurücknehmen ließe.',
  },
  toKeys: 'Meine Schlüssel',
  whyNotOther: (code) => `Der Dienst nennt den Grund ${code}.`,

  refusedTitle: 'Ihre Stimme wurde nicht signiert',
  refused: 'Die gezeigten Stimmen sind die von jetzt. Was Sie eingegeben haben, bleibt erhalten.',
  overtaken:
    'Die Antwort hat sich geändert oder ist fort. Lesen Sie die neueste Antwort, bevor Sie abstimmen.',
  wrongDigest:
    'Die Antwort passt nicht zu dem Digest, den der Dienst versprochen hat. Ihr kann hier nicht zugestimmt werden; benachrichtigen Sie einen Betreiber.',

  voted: (decision) => `Ihre Stimme ist erfasst: ${decision}.`,
  yourVote: 'Ihre Stimme',
  withdraw: 'Meine Stimme zurücknehmen …',
  withdrawSure:
    'Ihre Stimme endet. Stimmen späterer Stufen zu derselben Antwort können mit ihr enden.',
  withdrawAfter:
    'Die ungenutzte Vollmacht wird widerrufen, und der Antrag bleibt entschieden. Das lässt sich nicht rückgängig machen.',
  withdrawYes: 'Zurücknehmen',
  withdrawNo: 'Behalten',
  withdrawing: 'Wird zurückgenommen …',
  withdrawn: 'Ihre Stimme wurde zurückgenommen.',

  panel: {
    youDo: {
      authorise: 'Sie stimmen für die Freigabe:',
      refuse: 'Sie stimmen für die Ablehnung:',
      approve: 'Sie stimmen für die Zustimmung:',
      reject: 'Sie stimmen für die Zurückweisung:',
      answer: 'Sie stimmen für diese Antwort auf:',
    },
    panelTitle: 'Lesen Sie genau den Text, der signiert wird',
    panelLead:
      'Alle signieren dieselbe Antwort. Bis der Antrag entschieden ist, können Sie Ihre Stimme zurücknehmen.',
    panelAnswer: 'Die Antwort',
    panelRead: 'Ich habe die eingefrorene Antwort oben gelesen und stimme für sie.',
    panelUnread: 'Rollen Sie zuerst bis zum Ende der Antwort.',
    confirm: 'Abstimmen und signieren',
    confirming: 'Wird signiert …',
    dismiss: 'Zurück zu den Stimmen',
    unsure:
      'Die Antwort auf Ihre Stimme ging verloren. Derselbe Aufruf mit demselben Schlüssel wird wiederholt, bis der Dienst antwortet. Eine Wiederholung stimmt nie zweimal ab.',
  },
  withKey: {
    confirm: 'Mit Ihrem Schlüssel signieren',
    askingKey: 'Warten auf Ihren Schlüssel …',
    stop: 'Nicht mehr warten',
  },
  digestMatches: 'hier nachgerechnet: stimmt mit dem versprochenen überein',

  decidedBy: 'Entschieden von diesen Personen',
  endedTitle: 'Stimmen dieses Antrags',
  refusedBy: 'Abgelehnt von diesen Personen',
  forSeat: (group, stage) => `für ${group}, ${stage}`,
  forNo: 'sagte Nein',
  saveVotes: 'Die signierten Stimmen sichern',
};
