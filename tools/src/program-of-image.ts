/**
 * A dynamic program of a container's image, run outside of it: by the image's own loader and libraries, which may be newer
 * or older than those of this machine. tools/test-containers.mjs takes the files out of the image.
 */

/** The files that a program needs beside itself. */
export interface Needed {
  /** Path of the loader, such as /lib64/ld-linux-x86-64.so.2. */
  loader: string;
  /** Paths of the libraries, without the loader. */
  libraries: string[];
}

/**
 * Parses the output of `ldd` about one dynamic program or several. Throws when there is no loader, or a library is missing.
 */
export function readLdd(output: string): Needed {
  const loaders = new Set<string>();
  const libraries = new Set<string>();
  for (const line of output.split('\n')) {
    const [, name = '', path] = /^\s+(\S+)(?: => (.+?))?(?: \(0x[0-9a-f]+\))?\s*$/.exec(line) ?? [];
    if (path === 'not found') throw new Error(`The library ${name} is not there.`);
    // The loader alone is named by its path. The kernel's own vdso has none, and comes by itself.
    if (name.startsWith('/')) loaders.add(name);
    else if (path?.startsWith('/') === true) libraries.add(path);
  }
  const [loader] = loaders;
  if (loader === undefined) throw new Error(`ldd named no loader: ${output.trim()}`);
  return { loader, libraries: [...libraries].filter((path) => !loaders.has(path)) };
}

/**
 * The text of a shell script that stands for a program. The shell becomes the loader, and the loader runs the program in
 * the same process: a signal to the script's pid reaches the program. The program goes by the script's name, so that one
 * that looks for others beside itself (`initdb` for `postgres`) finds their scripts. `--argv0` needs glibc 2.33, or musl.
 */
export function wrapperOf(paths: { program: string; loader: string; libraries: string }): string {
  const [program, loader, libraries] = [paths.program, paths.loader, paths.libraries].map(quoted);
  return `#!/bin/sh\nexec ${loader} --argv0 "$0" --library-path ${libraries} ${program} "$@"\n`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
