/** Completion for zsh. */
import type { CompletionOption, CompletionWords } from './words.ts'

export function zshCompletion({ first, second, options }: CompletionWords): string {
  const described = (list: readonly { readonly word: string; readonly help: string }[]): string =>
    list.map(({ word, help }) => quoted(`${word}:${help.replaceAll(':', ' ')}`)).join(' ')
  const groups = [...second].map(([group, members]) => `    ${group}) members=(${described(members)}) ;;`)
  const flags = [...options].map(
    ([name, list]) => `    ${quoted(name)}) flags=(${list.map(argument).join(' ')}) ;;`,
  )
  return `#compdef reprise
# zsh completion for reprise: reprise completion zsh > "\${fpath[1]}/_reprise"
_reprise() {
  local -a members flags
  local command="\${words[2]}"
  # Words after -- belong to the recorded program.
  if (( \${words[(I)--]} > 0 && \${words[(I)--]} < CURRENT )); then
    _normal
    return
  fi
  if (( CURRENT == 2 )); then
    members=(${described([...first, { word: 'help', help: 'show help' }])})
    _describe 'command' members
    return
  fi
  case "$command" in
${groups.join('\n')}
  esac
  if (( \${#members} > 0 )); then
    if (( CURRENT == 3 )); then
      _describe 'command' members && return
    fi
    if (( \${members[(I)\${words[3]}:*]} > 0 )); then
      command="$command \${words[3]}"
    fi
  fi
  case "$command" in
${flags.join('\n')}
  esac
  _arguments $flags '*:file:_files'
}
compdef _reprise reprise
`
}

function argument({ flag, takesValue, help }: CompletionOption): string {
  const text = help.replace(/[[\]:]/g, ' ')
  return quoted(`*${flag}[${text}]${takesValue ? ':value:_files' : ''}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
