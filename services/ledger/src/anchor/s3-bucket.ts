import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import {
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { AnchorError } from './anchor-store.js';

export interface S3Settings {
  readonly bucket: string;
  /** The prefix of all keys, without a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint?: string;
  readonly pathStyle: boolean;
  /** Without them: those of the environment, in the order of Amazon's own tools. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** The longest that one look at the store may take, all its calls and attempts together. */
  readonly timeoutMs: number;
}

export interface ObjectVersion {
  readonly key: string;
  readonly versionId: string;
}

export interface Listing {
  /** In the order of their keys; of one key the newest first. */
  readonly versions: readonly ObjectVersion[];
  /** Keys with a deletion marker. */
  readonly deleted: readonly string[];
  readonly more: boolean;
}

export interface ObjectLock {
  readonly mode: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface StoredObject {
  readonly bytes: Buffer;
  /** null when there is none, and when the store does not tell. */
  readonly lock: ObjectLock | null;
}

/** No checkpoint is nearly as large; a larger object is none. */
const LARGEST = 65_536;
/** One attempt; an operation has time for a second one after a first that hangs. */
const ATTEMPTS = 3;
const CONNECTIONS = 32;
const SIDE_BY_SIDE = 16;

/**
 * The calls to one bucket. Everything here may be tried again without harm: reading, and a PUT that only creates. An
 * ambiguous answer is no answer: a fence must rest on the word of the store, not on that of a broken proxy.
 */
export class S3Bucket {
  readonly #client: S3Client;

  constructor(readonly settings: S3Settings) {
    // The client would otherwise warn the user of a command about future Node versions.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    const { region, endpoint, pathStyle, credentials, timeoutMs } = settings;
    this.#client = new S3Client({
      region,
      forcePathStyle: pathStyle,
      maxAttempts: ATTEMPTS,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      requestHandler: new NodeHttpHandler({
        connectionTimeout: Math.ceil(timeoutMs / 4),
        requestTimeout: Math.ceil(timeoutMs / 2),
        throwOnRequestTimeout: true,
        httpAgent: { keepAlive: true, maxSockets: CONNECTIONS },
        httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
      }),
    });
  }

  close(): void {
    this.#client.destroy();
  }

  /**
   * Runs calls under one deadline for all waiting: for a connection, credentials, the last byte.
   *
   * @throws AnchorError `anchor_unavailable` for every failure that reveals nothing about the stored objects
   */
  async within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.settings;
    const end = new AbortController();
    // Each call of a round listens to it.
    setMaxListeners(0, end.signal);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(unavailable(`no complete answer within ${timeoutMs} ms`));
        end.abort();
      }, timeoutMs);
    });
    try {
      return await Promise.race([work(end.signal), late]);
    } catch (error) {
      throw error instanceof AnchorError ? error : unavailable(wordsOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether the bucket keeps versions, and whether it can lock them. */
  async protection(signal: AbortSignal): Promise<{ versioned: boolean; lockable: boolean }> {
    const Bucket = this.settings.bucket;
    const { Status } = await this.#client.send(new GetBucketVersioningCommand({ Bucket }), {
      abortSignal: signal,
    });
    const lockable = await this.#client
      .send(new GetObjectLockConfigurationCommand({ Bucket }), { abortSignal: signal })
      .then(
        (answer) => answer.ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled',
        (error: unknown) => {
          if (nameOf(error) === 'ObjectLockConfigurationNotFoundError') return false;
          throw error;
        },
      );
    return { versioned: Status === 'Enabled', lockable };
  }

  /** Creates the object, locked for compliance; false when there is one of that key already. */
  async create(key: string, text: string, until: Date, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#client.send(
        new PutObjectCommand({
          Bucket: this.settings.bucket,
          Key: key,
          Body: text,
          ContentType: 'application/json',
          ChecksumSHA256: createHash('sha256').update(text).digest('base64'),
          IfNoneMatch: '*',
          ObjectLockMode: 'COMPLIANCE',
          ObjectLockRetainUntilDate: until,
        }),
        { abortSignal: signal },
      );
      return true;
    } catch (error) {
      if (statusOf(error) === 412) return false;
      // Another writer is creating it at this moment: its object is compared as an existing one.
      if (nameOf(error) === 'ConditionalRequestConflict') return false;
      throw error;
    }
  }

  /** Versions of the keys that begin with `prefix` and come after `after`. */
  async list(prefix: string, after: string | null, most: number, signal: AbortSignal) {
    const answer = await this.#client.send(
      new ListObjectVersionsCommand({
        Bucket: this.settings.bucket,
        Prefix: prefix,
        MaxKeys: most,
        ...(after === null ? {} : { KeyMarker: after }),
      }),
      { abortSignal: signal },
    );
    const { Versions = [], DeleteMarkers = [], IsTruncated, Name, Prefix } = answer;
    if (Name !== this.settings.bucket || Prefix !== prefix || IsTruncated === undefined) {
      throw unavailable('ListObjectVersions was answered by something else than the store');
    }
    const versions = Versions.map(({ Key, VersionId }): ObjectVersion => {
      if (Key === undefined || VersionId === undefined || VersionId === 'null') {
        throw unavailable('ListObjectVersions names an object without a version');
      }
      return { key: Key, versionId: VersionId };
    });
    const deleted = DeleteMarkers.map(({ Key = '' }) => Key);
    return { versions, deleted, more: IsTruncated } satisfies Listing;
  }

  /** The next steps of the keys below `prefix`, which ends in a slash. */
  async folders(prefix: string, signal: AbortSignal): Promise<string[]> {
    const { Name, CommonPrefixes = [] } = await this.#client.send(
      new ListObjectsV2Command({ Bucket: this.settings.bucket, Prefix: prefix, Delimiter: '/' }),
      { abortSignal: signal },
    );
    if (Name !== this.settings.bucket) {
      throw unavailable('ListObjectsV2 was answered by something else than the store');
    }
    return CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1));
  }

  /** One version, complete. An object that is too large for a checkpoint is returned up to the first byte too many. */
  async read({ key, versionId }: ObjectVersion, signal: AbortSignal): Promise<StoredObject> {
    const answer = await this.#client.send(
      new GetObjectCommand({ Bucket: this.settings.bucket, Key: key, VersionId: versionId }),
      { abortSignal: signal },
    );
    if (answer.VersionId !== versionId) {
      throw unavailable('GetObject was answered with another version or by something else');
    }
    const { ObjectLockMode: Mode, ObjectLockRetainUntilDate: RetainUntilDate } = answer;
    return {
      bytes: await limited(answer.Body as Readable),
      lock: lockFrom({ Mode, RetainUntilDate }),
    };
  }

  /** Several versions, in the order in which they are given. */
  async readAll(versions: readonly ObjectVersion[], signal: AbortSignal): Promise<StoredObject[]> {
    const read: StoredObject[] = [];
    while (read.length < versions.length) {
      const some = versions.slice(read.length, read.length + SIDE_BY_SIDE);
      read.push(...(await Promise.all(some.map((version) => this.read(version, signal)))));
    }
    return read;
  }

  /** The lock of one version. Asked for by itself where reading does not return it, as with some stores. */
  async lock({ key, versionId }: ObjectVersion, signal: AbortSignal): Promise<ObjectLock | null> {
    try {
      const { Retention } = await this.#client.send(
        new GetObjectRetentionCommand({
          Bucket: this.settings.bucket,
          Key: key,
          VersionId: versionId,
        }),
        { abortSignal: signal },
      );
      return lockFrom(Retention ?? {});
    } catch (error) {
      if (nameOf(error) === 'NoSuchObjectLockConfiguration') return null;
      throw error;
    }
  }
}

function lockFrom(told: { Mode?: string | undefined; RetainUntilDate?: Date | undefined }) {
  const { Mode: mode, RetainUntilDate: until } = told;
  return mode === undefined || until === undefined ? null : { mode, until: until.getTime() };
}

async function limited(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > LARGEST) break;
  }
  return Buffer.concat(chunks);
}

export function unavailable(why: string): AnchorError {
  return new AnchorError('anchor_unavailable', { cause: new Error(why) });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

/** For the log: the refused call and the reason, and nothing else that the answer or the request held. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the store could not be asked';
  const status = statusOf(error);
  return `${error.name}${status === undefined ? '' : ` (${status})`}: ${error.message.slice(0, 300)}`;
}
