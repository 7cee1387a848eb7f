/** The command that runs one test again, to be pasted into a shell. */
export function nextCommand(mode: 'record' | 'update', run: string, name: string): string {
  return `REPRISE_MODE=${mode} ${run} ${quoted(pattern(name))}`
}

/** Runners take a regular expression: what is special in one becomes a dot. */
function pattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '.')
}

function quoted(text: string): string {
  return `"${text.replace(/["$`\\!]/g, '.')}"`
}
