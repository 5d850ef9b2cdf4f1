export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type Purpose = 'review' | 'authorise_execution';

/** `answer`, `approve` and `reject` are for a review, `authorise` and `refuse` for an execution. */
export type Decision = 'answer' | 'approve' | 'reject' | 'authorise' | 'refuse';

/** The name of an app, for debugging its messages. */
export interface AppInfo {
  /** 1 to 120 characters. */
  readonly name: string;
  /** 1 to 40 characters. */
  readonly version: string;
}

export interface Proposal {
  readonly decision: Decision;
  /** Has to fit the request's response schema; the service checks it. */
  readonly response: unknown;
}

/** The proposal is frozen and shown to the reviewer, who confirms or dismisses it outside the app. */
export interface Proposed {
  readonly candidate_id: string;
  readonly status: 'awaiting_human_confirmation';
}

/** The app's binding, as of the creation of the request. Digests are `sha256:` and 64 hex digits. */
export interface Envelope {
  readonly profile: 'org.proto.agent-ui/2';
  readonly protocol_revision: string;
  readonly request: {
    readonly id: string;
    readonly digest: string;
    readonly purpose: Purpose;
    readonly authorisation_revision: number;
    readonly supersedes: string | null;
  };
  readonly bundle: {
    readonly id: string;
    readonly publisher: string;
    readonly digest: string;
    readonly created_at: string;
  };
  readonly source: {
    readonly tenant: string;
    readonly producer: string;
    readonly requester: { readonly subject: string; readonly source: string };
    readonly origin: string;
  };
  readonly snapshots: { readonly input_digest: string; readonly result_digest: string };
  readonly binding_digest: string;
}

/** The limits that end an app; bytes are those of a message's JSON text. */
export interface Limits {
  readonly view_message_bytes: number;
  readonly host_message_bytes: number;
  readonly tracked_view_request_ids: number;
  readonly proposals_per_view: number;
  readonly initialise_timeout_ms: number;
  readonly teardown_grace_ms: number;
  readonly json_depth: number;
  readonly [name: string]: number;
}

/** An app's connection to the review it was opened in. Everything that it holds is frozen. */
export interface View<Payload = Json> {
  readonly purpose: Purpose;
  readonly requestId: string;
  /** The producer's summary of the request. */
  readonly summary: string;
  /** The producer's payload, as the request holds it. Its content is the producer's: never put it into markup. */
  readonly payload: Payload;
  readonly envelope: Envelope;
  readonly limits: Limits;
  readonly host: { readonly name: string; readonly version: string };
  /**
   * Asks the reviewer to confirm this answer. Resolves when it is frozen and shown; the app does not learn the reviewer's
   * decision.
   *
   * @throws ProposalRefused when it does not fit the schema, another one is being reviewed, or the reviewer has not allowed
   *   another one after a dismissal
   * @throws TypeError for values that are not JSON, RangeError for messages that are too large or too deep: sent, they
   *   would end the app
   */
  propose(proposal: Proposal): Promise<Proposed>;
  /** Called once, when the review is over or its page goes away: a quarter of a second is left. */
  onTeardown(listener: () => void): void;
}
