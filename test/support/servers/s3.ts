import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '@countersign/dev-servers';
import { obtained } from '../programs/obtained.js';
import { startChild } from './child.js';

export const S3_ACCESS = { accessKeyId: 'countersign', secretAccessKey: 'countersign-secret' };

export interface S3Server {
  readonly url: string;
  readonly port: number;
  /** As the owner of everything, for forbidden actions. */
  readonly client: S3Client;
  /** Makes a bucket; one without `lock` keeps no versions either. */
  bucket(name: string, lock: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A client that repeats nothing, of the owner of everything at that address. */
export function s3Client(url: string): S3Client {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  return new S3Client({
    region: 'us-east-1',
    endpoint: url,
    forcePathStyle: true,
    credentials: S3_ACCESS,
    maxAttempts: 1,
  });
}

/** A real S3 server with versions and Object Lock: versitygw, or MinIO with `S3_SERVER=minio`. */
export async function startS3(): Promise<S3Server> {
  const minio = process.env['S3_SERVER'] === 'minio';
  const program = await obtained(minio ? 'minio' : 'versitygw');
  const directory = mkdtempSync(join(tmpdir(), 'countersign-s3-'));
  const at = (name: string): string => join(directory, name);
  for (const name of ['data', 'versions', 'sidecar']) mkdirSync(at(name));
  const port = await freePort();
  const { accessKeyId, secretAccessKey } = S3_ACCESS;
  const address = `127.0.0.1:${port}`;
  const args = minio
    ? ['server', '--quiet', '--address', address, at('data')]
    : [
        ...['--port', address, '--access', accessKeyId, '--secret', secretAccessKey, '--quiet'],
        // Beside the files: not every temporary file system has attributes.
        ...['posix', '--sidecar', at('sidecar'), '--versioning-dir', at('versions'), at('data')],
      ];
  const url = `http://${address}`;
  const client = s3Client(url);
  const child = await startChild(
    program,
    args,
    {
      log: at('log'),
      env: {
        MINIO_ROOT_USER: accessKeyId,
        MINIO_ROOT_PASSWORD: secretAccessKey,
        MINIO_BROWSER: 'off',
      },
    },
    () => client.send(new ListBucketsCommand({})),
  );
  return {
    url,
    port,
    client,
    async bucket(name, lock) {
      await client.send(
        new CreateBucketCommand({ Bucket: name, ObjectLockEnabledForBucket: lock }),
      );
    },
    async stop() {
      client.destroy();
      await child.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
