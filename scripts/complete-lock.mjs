/**
 * Adds to package-lock.json the prebuilt packages of other platforms that npm left out because the registry
 * at hand did not have them. `npm ci` wants every optional dependency in the lock, also those that it will
 * not install here. Run it after `npm install`; it changes nothing else.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm64',
  'x64',
  'ia32',
  'arm',
  'ppc64',
  's390x',
  'riscv64',
  'loong64',
  'mips64el',
  'wasm32',
]

let added = 0
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (owner === '' || range.startsWith('npm:')) continue
    const version = range.replace(/^[\^~]/, '')
    const placed = [`${owner}/node_modules/${name}`, besideOf(owner, name), `node_modules/${name}`]
    const present = placed.map((place) => lock.packages[place]).find((found) => found !== undefined)
    if (present !== undefined && (present.version === version || range !== version)) continue
    const place = present === undefined ? `node_modules/${name}` : besideOf(owner, name)
    const words = name.split(/[^a-z0-9]+/)
    const os = systems.filter((system) => words.includes(system))
    const cpu = processors.filter((processor) => words.includes(processor))
    const libc = words.includes('musl')
      ? ['musl']
      : words.includes('gnu') || words.includes('glibc')
        ? ['glibc']
        : []
    lock.packages[place] = {
      version,
      ...(cpu.length > 0 ? { cpu } : {}),
      ...(entry.dev === true ? { dev: true } : {}),
      ...(libc.length > 0 ? { libc } : {}),
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    }
    added += 1
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
)
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${added} packages of other platforms added`)

/** The place of a package beside the one that needs it: two versions of that one may each need their own. */
function besideOf(owner, name) {
  return `${owner.slice(0, owner.lastIndexOf('node_modules/'))}node_modules/${name}`
}
