/**
 * The package that a file belongs to: name and version of the nearest `package.json` above it that has a
 * name.
 */
import { dirname, join } from 'node:path'
import { fs } from './fs.ts'

export type PackageOfFile = { readonly name: string; readonly version: string }

export function packageOfFile(file: string): PackageOfFile | null {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = manifestIn(folder)
    if (found !== null) return found
    if (folder === dirname(folder)) return null
  }
}

const read = fs.readFileSync

function manifestIn(folder: string): PackageOfFile | null {
  try {
    const manifest: unknown = JSON.parse(read(join(folder, 'package.json'), 'utf8'))
    if (typeof manifest !== 'object' || manifest === null) return null
    const [name, version]: unknown[] = [Reflect.get(manifest, 'name'), Reflect.get(manifest, 'version')]
    return typeof name === 'string' && name !== ''
      ? { name, version: typeof version === 'string' ? version : '' }
      : null
  } catch {
    // No manifest here, or none that can be read: the next folder may have one.
    return null
  }
}
