import { ConfigurationInvalid, discovery } from '@countersign/client';
import type { Client } from '@countersign/client';

import type { Runtime } from './runtime.js';
import { drive, opened } from './drive.js';
import { ArgumentsChanged, JournalInvalid } from './errors.js';
import type { Entry, EntryState } from './journal.js';
import { Life } from './life.js';
import type { Guarding } from './life.js';
import { checkOptions } from './options.js';
import type { Action, Asked, CallOptions, GuardOptions } from './options.js';
import { checkPlan, entryKeyOf, planOf, planned } from './plan.js';
import type { Plan, Planned } from './plan.js';
import { watchOf } from './watch.js';

/** An action behind a guard. */
export interface Guarded<A, T> {
  /**
   * Asks, waits, claims, is admitted, runs the function once, and reports how it ended.
   *
   * @throws the errors of docs/guard.md, and TypeError before anything is asked
   */
  (args: A, call?: CallOptions): Promise<T>;
  readonly guardName: string;
  /** The exact call that asks, as plain JSON; nothing is sent. A framework may keep it and give it to `ask` and `run`. */
  plan(args: A): Plan;
  /** Asks, and does not wait. */
  ask(plan: Plan, call?: CallOptions): Promise<Asked & { readonly isDecided: boolean }>;
  /** As the call itself, by a plan. */
  run(plan: Plan, call?: CallOptions): Promise<T>;
  /** Asks anew for an occurrence that was refused or whose time ran out; the people decide again. */
  again(args: A, call?: CallOptions): Promise<T>;
  /** Goes on with an occurrence of the journal, from wherever it is. */
  resume(entry: Entry, call?: CallOptions): Promise<T>;
}

/** `guard` of one runtime. */
export type Guard = <A, T, Seen = unknown>(
  client: Client,
  options: GuardOptions<Seen>,
  action: Action<A, T>,
) => Guarded<A, T>;

/** `guard` with that runtime's time, chance and identity. */
export function guardIn(runtime: Runtime) {
  /**
   * Puts Countersign in front of a function: it starts at most once for each occurrence, and only after people authorised
   * exactly these arguments (docs/guard.md).
   *
   * @throws TypeError for options that cannot be used; nothing is sent
   */
  return function guard<
    A,
    T,
    // `occurrence` stands before the function whose arguments it is about: where nothing says what they are, it sees any.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    Seen = any,
  >(client: Client, options: GuardOptions<Seen>, action: Action<A, T>): Guarded<A, T> {
    checkOptions(client, options as GuardOptions<never>);
    return guarded({ client, options: options as unknown as GuardOptions<A>, runtime }, action);
  };
}

function guarded<A, T>(guarding: Guarding<A>, action: Action<A, T>): Guarded<A, T> {
  const { client, options, runtime } = guarding;
  const { journal = null } = options;
  const watch = watchOf(client, runtime);

  async function sealed(plan: Plan): Promise<string> {
    const text = JSON.stringify(plan);
    return options.seal?.seal(text) ?? text;
  }
  async function planIn(entry: Entry): Promise<Plan | null> {
    if (entry.plan === null) return null;
    const text = (await options.seal?.open(entry.plan)) ?? entry.plan;
    try {
      return JSON.parse(text) as Plan;
    } catch (cause) {
      throw new JournalInvalid(entry.key, 'has a plan that cannot be read', cause);
    }
  }

  async function lifeOf(plan: Plan, known: Planned, call: CallOptions): Promise<Life<A>> {
    await requireAnchors(client, options);
    if (journal === null) return new Life(guarding, null, plan, known.proposal, null, call);
    const key = entryKeyOf(client, plan.occurrence);
    const entry = await journal.open(key, await sealed(plan), stateOf(options.name, known));
    if (entry.proposal !== known.proposal) throw new ArgumentsChanged(entry.request);
    const first = (await planIn(entry)) ?? plan;
    return new Life(guarding, journal, first, known.proposal, entry, call);
  }

  async function go(plan: Plan, known: Planned, call: CallOptions): Promise<T> {
    const life = await lifeOf(plan, known, call);
    const kept = life.entry?.closed?.status === 'completed' ? life.entry.end?.result : null;
    if (typeof kept === 'string') return (await opened(life, kept)) as T;
    return goOn(life, known);
  }
  const goOn = (life: Life<A>, { snapshot }: Planned) =>
    drive(life, { action, args: snapshot as A, watch });

  const planFor = (args: A) => {
    const known = planned(options, args);
    return { known, plan: planOf(client, options, known, runtime.wall()) };
  };

  const callable = async (args: A, call: CallOptions = {}): Promise<T> => {
    const { known, plan } = planFor(args);
    return go(plan, known, call);
  };
  return Object.assign(callable, {
    guardName: options.name,
    plan: (args: A) => planFor(args).plan,
    async ask(plan: Plan, call: CallOptions = {}) {
      const life = await lifeOf(plan, checkPlan(options, plan), call);
      await life.ask();
      const { id, status } = life;
      return {
        ...{ id, occurrence: plan.occurrence, reviewLink: status?.review_link as string },
        isDecided: status?.decision_state !== 'pending',
      };
    },
    run: async (plan: Plan, call: CallOptions = {}) => go(plan, checkPlan(options, plan), call),
    async again(args: A, call: CallOptions = {}) {
      const known = planned(options, args);
      const plan = planOf(client, options, known, runtime.wall());
      const old = await new Life(guarding, null, plan, known.proposal, null, call).newest();
      // An end without a claim is one that a restored service forgot: it is no less an end.
      const key = entryKeyOf(client, plan.occurrence);
      const entry = journal?.durable === true ? await journal.read(key) : null;
      const hasEnd = entry !== null && entry.end !== null;
      if (old === null || old.claim !== null || hasEnd) return go(plan, known, call);
      const anew = planOf(client, options, known, runtime.wall(), old.request.id);
      await renew(anew, known);
      return go(anew, known, call);
    },
    async resume(entry: Entry, call: CallOptions = {}) {
      const plan = await planIn(entry);
      if (plan === null) throw new TypeError('guard: this entry is closed');
      return go(plan, checkPlan(options, plan), call);
    },
  });

  /** Puts a new plan in the place of one whose request is over. */
  async function renew(plan: Plan, known: Planned): Promise<void> {
    if (journal === null) return;
    const key = entryKeyOf(client, plan.occurrence);
    const text = await sealed(plan);
    const state = stateOf(options.name, known);
    for (;;) {
      const entry = await journal.open(key, text, state);
      if (entry.version === 1 && entry.plan === text) return;
      if ((await journal.advance(key, entry.version, { ...state, plan: text })) !== null) return;
    }
  }
}

function stateOf(name: string, { occurrence, proposal }: Planned): EntryState {
  return {
    ...{ name, occurrence, proposal },
    ...{ request: null, identity: null, launch: null, end: null, closed: null },
  };
}

const modes = new WeakMap<Client, Promise<string>>();

/** Production wants checkpoints looked up, or the choice not to written out. */
async function requireAnchors(client: Client, { anchor }: GuardOptions<never>): Promise<void> {
  if (client.looksUpAnchors || anchor === 'unchecked') return;
  let mode = modes.get(client);
  if (mode === undefined) {
    mode = client.call(discovery).then((found) => found.mode);
    modes.set(client, mode);
    mode.catch(() => modes.delete(client));
  }
  if ((await mode) === 'production')
    throw new ConfigurationInvalid(
      'anchorStore',
      "is needed in production: give the client one, or the guard anchor: 'unchecked'",
    );
}
