/** `reprise import FORMAT FILE --out TAPE`: a recording of another program as a tape. */
import { conversionCommand } from '../formats/formats.ts'

export const importCommand = conversionCommand('import', 'a tape from a file of another program')
