/** Completion for bash 4 and newer. */
import type { CompletionWords } from './words.ts'

export function bashCompletion({ first, second, options }: CompletionWords): string {
  const words = (list: readonly { readonly word: string }[]): string => list.map(({ word }) => word).join(' ')
  const groups = [...second].map(([group, members]) => `    ${group}) words="${words(members)}" ;;`)
  const flags = [...options].map(
    ([name, list]) => `    "${name}") flags="${list.map(({ flag }) => flag).join(' ')}" ;;`,
  )
  return `# bash completion for reprise: source <(reprise completion bash)
_reprise() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]-}" words='' flags='' at
  # Words after -- belong to the recorded program.
  for ((at = 1; at < COMP_CWORD; at += 1)); do
    [ "\${COMP_WORDS[at]}" = -- ] && return
  done
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words(first)} help" -- "$current"))
    return
  fi
  case "$command" in
${groups.join('\n')}
  esac
  if [ -n "$words" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      [ \${#COMPREPLY[@]} -gt 0 ] && return
    fi
    case " $words " in *" \${COMP_WORDS[2]-} "*) command="$command \${COMP_WORDS[2]}" ;; esac
  fi
  case "$command" in
${flags.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -o default -F _reprise reprise
`
}
