/** The signals of this system, by name. */
import os from 'node:os'

export const signals: Readonly<Record<string, number>> = { ...os.constants.signals }
