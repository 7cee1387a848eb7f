/** The words that a shell can complete, from the table of commands. */
import type { Command } from '../command.ts'

export type CompletionWords = {
  /** First words: commands without a group, and groups. */
  readonly first: readonly { readonly word: string; readonly help: string }[]
  /** Second words, by group. */
  readonly second: ReadonlyMap<string, readonly { readonly word: string; readonly help: string }[]>
  /** Options by the full name of a command. */
  readonly options: ReadonlyMap<string, readonly CompletionOption[]>
}

export type CompletionOption = { readonly flag: string; readonly takesValue: boolean; readonly help: string }

const GENERAL_OPTIONS: readonly CompletionOption[] = [
  { flag: '--help', takesValue: false, help: 'show the options of this command' },
  { flag: '--debug', takesValue: false, help: 'show the stack of an error' },
  { flag: '--quiet', takesValue: false, help: 'show no progress' },
]

export function completionWords(
  commands: readonly Command[],
  groups: Readonly<Record<string, string>>,
): CompletionWords {
  const first = new Map<string, string>()
  const second = new Map<string, { word: string; help: string }[]>()
  const options = new Map<string, CompletionOption[]>()
  for (const { name, help, options: own } of commands) {
    const [word = '', member] = name.split(' ')
    if (!first.has(word)) first.set(word, groups[word] ?? help)
    if (member !== undefined) second.set(word, [...(second.get(word) ?? []), { word: member, help }])
    const flags = own.map(({ flags: text, help: what }) => ({
      flag: /--[a-z-]+/.exec(text)?.[0] ?? text,
      takesValue: /[<[]/.test(text),
      help: what,
    }))
    const general = GENERAL_OPTIONS.filter(({ flag }) => !flags.some((known) => known.flag === flag))
    options.set(name, [...flags, ...general])
  }
  return { first: [...first].map(([word, help]) => ({ word, help })), second, options }
}
