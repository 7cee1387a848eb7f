/**
 * `reprise doctor [-- <cmd…>]`: what is captured on this Node and what is not, and whether a command can be
 * recorded here. Exit 2 if something is in the way.
 */
import type { Command, CommandInput } from '../command.ts'
import { flagOption } from '../command.ts'
import type { Examined } from '../doctor/examine.ts'
import { EXIT } from '../output.ts'

export const doctor: Command = {
  name: 'doctor',
  arguments: '[cmd...]',
  help: 'what is captured on this Node and what is not, and whether a command can be recorded',
  options: [{ flags: '--json', help: 'print one JSON document' }],
  async run(input) {
    const { examine } = await import('../doctor/examine.ts')
    const found = examine(input.arguments)
    if (flagOption(input, 'json')) input.output.json(found)
    else print(input, found)
    return found.ok ? EXIT.fine : EXIT.finding
  },
}

function print({ output }: CommandInput, found: Examined): void {
  const line = (head: string, text: string): void =>
    output.line(`${head.padEnd(13)} ${text}`, head === 'in the way' ? 'bad' : 'plain')
  line('node', `${found.node.version}${found.node.supported ? '' : ', too old: 20.19 or newer is needed'}`)
  for (const [name, names] of Object.entries(found.boundaries))
    line(name, `captured, ${names.length} name(s)`)
  line('not captured', `${found.not_captured.length} name(s)`)
  for (const [why, rows] of groupsOf(found.not_captured))
    output.line(`  ${why}: ${rows.map(({ place, name }) => shown(place, name)).join(', ')}`)
  for (const name of found.unlisted) line('unlisted', `${name} is not known to this version of Reprise`)
  for (const { option, why } of found.node_options) line('in the way', `${option}: ${why}`)
  line(
    'folder',
    `${found.folder.path} is ${found.folder.writable ? 'writable' : 'not writable: use --out with another folder'}`,
  )
  const { command } = found
  if (command === null) return
  line('command', command.words.join(' '))
  if (command.wrappers.length > 0) line('', `passed over: ${command.wrappers.join(', ')}`)
  if (command.node !== null) line('', `run by Node ${command.node.version}, ${command.node.path}`)
  if (command.script !== null) line('', `script ${command.script}`)
  for (const [at, problem] of command.problems.entries())
    line('in the way', `${problem}; hint: ${command.hints[at] ?? ''}`)
  if (command.problems.length === 0) line('', 'can be recorded')
}

function shown(place: string, name: string): string {
  return place === 'globalThis' || place === 'built-in modules'
    ? name
    : `${place.replace(/^node:/, '')}.${name}`
}

function groupsOf<T extends { readonly why: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) groups.set(row.why, [...(groups.get(row.why) ?? []), row])
  return groups
}
