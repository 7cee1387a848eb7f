/**
 * Names of systems and processors as Go writes them: `provenance.os` and `provenance.arch` are GOOS and
 * GOARCH.
 */

const OS: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' }
const ARCH: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', mipsel: 'mipsle' }

/** The name of `process.platform` in Go. */
export function goOs(platform: string): string {
  return OS[platform] ?? platform
}

/** The name of `process.arch` in Go. */
export function goArch(arch: string): string {
  return ARCH[arch] ?? arch
}
