import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { MemorySaver } from '@langchain/langgraph';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** LangGraph's own saver, in a file of text that outlives the process. */
export class FileSaver extends MemorySaver {
  constructor(file) {
    super();
    this.file = file;
    if (!existsSync(file)) return;
    const { storage, writes } = JSON.parse(readFileSync(file, 'utf8'), (_, value) =>
      typeof value?.$bytes === 'string' ? encoder.encode(value.$bytes) : value,
    );
    Object.assign(this.storage, storage);
    Object.assign(this.writes, writes);
  }

  save() {
    const { storage, writes } = this;
    const text = JSON.stringify({ storage, writes }, (_, value) =>
      value instanceof Uint8Array ? { $bytes: decoder.decode(value) } : value,
    );
    writeFileSync(this.file, text);
  }

  async put(...args) {
    const saved = await super.put(...args);
    this.save();
    return saved;
  }

  async putWrites(...args) {
    await super.putWrites(...args);
    this.save();
  }
}
