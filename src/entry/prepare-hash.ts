/** Preloaded before `register` where the prebuilt hash is missing: WebAssembly can only be made ready by waiting. Not an entry point of the package. */
import { prepareBlake3 } from '../base/index.ts'

await prepareBlake3()
