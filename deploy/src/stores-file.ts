/** Where the stores of a running instance are, and the servers that a launcher would leave behind if it were killed. */
export const STORES_FILE = 'stores.json';

export interface StoresFile {
  urls: Partial<StoreUrls>;
  started: Started[];
}

/** Addresses for targets, by the setting that names them. */
export type StoreUrls = Readonly<{ DATABASE_URL: string; NATS_URL?: string; REDIS_URL?: string }>;

export interface Started {
  pid: number;
  command: string;
}
