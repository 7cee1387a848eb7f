/** The reading side of a handle and of a transaction: text, bytes and JSON out of one way to get an entry. */
import { contentJson, contentText, type Schema } from './content.ts'
import type { Entry } from './contract.ts'
import type { Scalar } from './keys.ts'

export type StateReader = {
  read(key: Scalar): Promise<string | null>
  readBytes(key: Scalar): Promise<Uint8Array | null>
  readJson(key: Scalar): Promise<unknown>
  readJson<T>(key: Scalar, schema: Schema<T>): Promise<T | null>
  /** Content, version and owner together. */
  entry(key: Scalar): Promise<Entry | null>
  list(): Promise<readonly string[]>
}

export function readerOn(
  entry: (key: Scalar) => Promise<Entry | null>,
  list: () => Promise<readonly string[]>,
): StateReader {
  async function readJson<T>(key: Scalar, schema?: Schema<T>): Promise<T | unknown> {
    const found = await entry(key)
    return found === null ? null : contentJson(found.content, String(key), schema)
  }
  return {
    entry,
    list,
    async read(key) {
      const found = await entry(key)
      return found === null ? null : contentText(found.content, String(key))
    },
    readBytes: async (key) => (await entry(key))?.content ?? null,
    readJson: readJson as StateReader['readJson'],
  }
}
