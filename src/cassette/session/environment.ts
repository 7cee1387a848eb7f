/**
 * The environment of a recorded program: what is on the list, and nothing else. The library underneath adds
 * PWD, which is the working folder that the program can see anyway.
 */
export const DEFAULT_ALLOWLIST: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'COLORTERM',
  'LANG',
  'LC_*',
  'TZ',
  'TMPDIR',
]

export type AllowedEnvironment = {
  readonly env: Readonly<Record<string, string>>
  /** The list as it was enforced, for the manifest. */
  readonly allowlist: readonly string[]
}

export type EnvironmentOptions = {
  /** Names to let through on top of the default list, or `NAME=value` to set. */
  readonly add?: readonly string[]
  readonly term?: string
  /** Sets LANG and LC_ALL. */
  readonly locale?: string
}

export const DEFAULT_TERM = 'xterm-256color'

export function allowedEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  options: EnvironmentOptions = {},
): AllowedEnvironment {
  const added = (options.add ?? []).map((entry) => {
    const at = entry.indexOf('=')
    return at > 0
      ? { name: entry.slice(0, at), value: entry.slice(at + 1) }
      : { name: entry, value: parent[entry] }
  })
  const allowlist = [...new Set([...DEFAULT_ALLOWLIST, ...added.map(({ name }) => name)])]
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(parent))
    if (value !== undefined && isAllowed(name)) env[name] = value
  for (const { name, value } of added) if (value !== undefined) env[name] = value
  env.TERM = options.term ?? DEFAULT_TERM
  if (options.locale) Object.assign(env, { LANG: options.locale, LC_ALL: options.locale })
  return { env, allowlist }
}

function isAllowed(name: string): boolean {
  return name.startsWith('LC_') || DEFAULT_ALLOWLIST.includes(name)
}

/** The locale that a program sees in this environment. */
export function localeOf(env: Readonly<Record<string, string>>): string {
  return env.LC_ALL || env.LC_CTYPE || env.LANG || ''
}
