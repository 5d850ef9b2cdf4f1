// A server that keeps each byte that it gets, and says what it was given to say.
import { createReadStream, createWriteStream } from 'node:fs';

const [, , into, from] = process.argv;
process.stdin.pipe(createWriteStream(into));
createReadStream(from).pipe(process.stdout, { end: false });
