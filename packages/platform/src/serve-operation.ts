import { OPERATIONS, Refusal, operationNamed } from '@countersign/protocol';
import type {
  OperationName,
  OperationsOf,
  PreflightedName,
  ServiceName,
} from '@countersign/protocol';
import type { OperationAnswer } from './answer.js';
import type { BusReply } from './bus/types.js';
import { adminCallOf, callOf, headOf, openEnvelope } from './operation-call.js';
import type { AdminCall, AdminRow, OperationCall, OperationHead } from './operation-call.js';
import type { ServiceRuntime } from './service.js';
import { PREFLIGHT_SUBJECT, serviceOf, subjectOf } from './subjects.js';

/** An operation, typed by its row of the operations table. */
export type OperationHandler<Name extends OperationName> = (
  call: OperationCall<Name>,
) => Promise<OperationAnswer<Name>>;

/** All operations of a service: one that is missing does not compile. */
export type OperationHandlers<Service extends ServiceName> = {
  readonly [Name in OperationsOf<Service>]: OperationHandler<Name>;
};

/** Checks before the body of an operation is read: they throw its refusal (protocol §6.1 step 5). */
export type PreflightHandlers = {
  readonly [Name in PreflightedName]: (head: OperationHead<Name>) => Promise<void>;
};

/** The handlers of a service beside its operations, by a table of their own. */
export type AdminHandlers<Row extends AdminRow> = {
  readonly [Each in Row as Each['name']]: (call: AdminCall<Each>) => Promise<BusReply>;
};

type AnyHandler = (call: never) => Promise<BusReply>;
type Runtime = Pick<ServiceRuntime, 'bus' | 'verifier'>;

/** Puts a service's operations on the bus. */
export async function serveOperations<Service extends ServiceName>(
  { bus, verifier }: Runtime,
  service: Service,
  handlers: OperationHandlers<Service>,
): Promise<void> {
  for (const [name, handler] of Object.entries<AnyHandler>(handlers)) {
    const row = operationNamed(name as OperationName);
    await bus.serve(
      subjectOf(name),
      service,
      async (request) => handler(callOf(row, await openEnvelope(request, verifier)) as never),
      { largeBodies: row.largeBody },
    );
  }
}

/** Answers the gateway's questions before it reads the body of an operation with `preflight`. */
export async function servePreflights(
  { bus, verifier }: Runtime,
  handlers: PreflightHandlers,
): Promise<void> {
  await bus.serve(PREFLIGHT_SUBJECT, serviceOf(PREFLIGHT_SUBJECT), async (request) => {
    const envelope = await openEnvelope(request, verifier);
    const row = OPERATIONS.find(({ number }) => String(number) === envelope.params['operation']);
    if (row?.preflight !== true) throw new Refusal('not_found');
    await handlers[row.name as PreflightedName](headOf(row, envelope) as never);
    return { status: 200, body: '{}' };
  });
}

/** Serves the rows of a table beside the operations on the bus. */
export async function serveAdmin<Row extends AdminRow>(
  { bus, verifier }: Runtime,
  service: ServiceName,
  rows: readonly Row[],
  handlers: AdminHandlers<Row>,
): Promise<void> {
  for (const row of rows) {
    const handler = handlers[row.name as Row['name']] as AnyHandler;
    await bus.serve(subjectOf(row.name), service, async (request) =>
      handler(adminCallOf(row, await openEnvelope(request, verifier)) as never),
    );
  }
}
