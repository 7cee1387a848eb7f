/**
 * Files that are not captured because the user ignores them: `--ignore` patterns over portable paths.
 */

/**
 * `*` and `?` stay inside a name, `**` does not, `{a,b}` is either. A pattern without a slash matches a name
 * anywhere; a folder matches everything below it.
 */
export function ignoredPaths(patterns: readonly string[]): (portable: string) => boolean {
  const matchers = patterns.map(matcherOf)
  return matchers.length === 0 ? () => false : (path) => matchers.some((matcher) => matcher.test(path))
}

function matcherOf(pattern: string): RegExp {
  const trimmed = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  const anywhere = trimmed.includes('/') ? '' : '(?:.*/)?'
  return new RegExp(`^${anywhere}${source(trimmed)}(?:/.*)?$`, 's')
}

function source(pattern: string): string {
  let text = ''
  let open = 0
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? ''
    if (pattern.startsWith('**/', at)) {
      text += '(?:.*/)?'
      at += 2
    } else if (pattern.startsWith('**', at)) {
      text += '.*'
      at += 1
    } else if (char === '*') text += '[^/]*'
    else if (char === '?') text += '[^/]'
    else if (char === '{' && pattern.includes('}', at)) {
      open += 1
      text += '(?:'
    } else if (char === '}' && open > 0) {
      open -= 1
      text += ')'
    } else if (char === ',' && open > 0) text += '|'
    else text += char.replace(/[.+^$()|[\]\\{}]/g, '\\$&')
  }
  return text + ')'.repeat(open)
}
