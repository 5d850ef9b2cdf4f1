// Compresses the built files at the best quality, once: the gateway sends them as they are (services/gateway/src/assets.ts).
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const PACKED = { br: promisify(brotliCompress), gz: promisify(gzip) };
const BEST = {
  level: constants.Z_BEST_COMPRESSION,
  params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
};

/** Writes `<name>.br` and `<name>.gz` beside each file of a folder. */
export async function pack(folder) {
  const names = (await readdir(folder)).filter((name) => !/\.(br|gz)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(new URL(name, folder));
      for (const [ending, packed] of Object.entries(PACKED)) {
        await writeFile(new URL(`${name}.${ending}`, folder), await packed(content, BEST));
      }
    }),
  );
}
