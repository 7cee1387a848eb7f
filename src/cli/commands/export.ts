/** `reprise export FORMAT TAPE --out FILE`: what another program can read of a tape. */
import { conversionCommand } from '../formats/formats.ts'

export const exportCommand = conversionCommand('export', 'a file for another program from a tape')
