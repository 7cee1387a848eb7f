/** Everything that files below a folder contain, as text of single bytes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `name`: only files whose path matches. */
export function allBytesOf(folder: string, name: RegExp): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => name.test(path))
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}
