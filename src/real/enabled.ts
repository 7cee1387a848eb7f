/**
 * Whether this process is to be recorded or replayed. Apart from everything else, so that asking costs one
 * small file.
 */
const { REPRISE_MODE: mode } = process.env

export const isEnabled: boolean = mode !== undefined && mode !== 'off'
