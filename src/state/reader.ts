/** The reading side of a handle and of a transaction: text, bytes and JSON out of one way to get an entry. */
import { contentJson, contentText, type Schema } from './content.ts'
import type { Entry } from './contract.ts'

export type StateReader = {
  read(key: string): Promise<string | null>
  readBytes(key: string): Promise<Uint8Array | null>
  readJson(key: string): Promise<unknown>
  readJson<T>(key: string, schema: Schema<T>): Promise<T | null>
  /** Content, version and owner together. */
  entry(key: string): Promise<Entry | null>
  list(): Promise<readonly string[]>
}

export function readerOn(entry: (key: string) => Promise<Entry | null>, list: () => Promise<readonly string[]>): StateReader {
  async function readJson<T>(key: string, schema?: Schema<T>): Promise<T | unknown> {
    const found = await entry(key)
    return found === null ? null : contentJson(found.content, key, schema)
  }
  return {
    entry,
    list,
    async read(key) {
      const found = await entry(key)
      return found === null ? null : contentText(found.content, key)
    },
    readBytes: async (key) => (await entry(key))?.content ?? null,
    readJson: readJson as StateReader['readJson'],
  }
}
