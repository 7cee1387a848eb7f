/** What in NODE_OPTIONS, or in our own variables, prevents a recording. */
export type Conflict = { readonly option: string; readonly why: string }

const CONFLICTS: readonly (readonly [option: RegExp, why: string])[] = [
  [
    /^--(?:experimental-)?permission$/,
    'the permission model keeps the tape from being written: add --allow-fs-read and --allow-fs-write',
  ],
  [/^--frozen-intrinsics$/, 'frozen objects cannot be captured'],
  [/reprise\/register|entry\/register\.js/, 'Reprise is preloaded already: record does that itself'],
  [/^--disable-proto=throw$/, 'code that some packages of a program need throws'],
  [/^--test(?:=|$)/, 'the test runner starts processes of its own: use reprise/node-test instead'],
]

export function optionConflicts(nodeOptions: string, mode: string | undefined): Conflict[] {
  const words = nodeOptions.split(/\s+/).filter((word) => word !== '')
  const found = words.flatMap((option) =>
    CONFLICTS.filter(([pattern]) => pattern.test(option)).map(([, why]) => ({ option, why })),
  )
  if (mode !== undefined && mode !== '')
    found.push({
      option: `REPRISE_MODE=${mode}`,
      why: 'it is set already: record and replay set it themselves',
    })
  return found
}
