/** Coverage of `node:fs`, by name: see boundaries/coverage.ts. */
import type { Place } from './coverage-place.ts'

const BOTH = `access appendFile chmod chown copyFile cp lchown link lstat lutimes mkdir mkdtemp open opendir readFile readdir readlink realpath rename rm rmdir
  stat statfs symlink truncate unlink utimes watch writeFile`

export const filesCoverage: readonly Place[] = [
  {
    place: 'node:fs',
    captured: {
      filesystem: `${BOTH} accessSync appendFileSync chmodSync chownSync close closeSync copyFileSync cpSync createReadStream createWriteStream exists
        existsSync fchmod fchmodSync fchown fchownSync fdatasync fdatasyncSync fstat fstatSync fsync fsyncSync ftruncate ftruncateSync futimes futimesSync
        glob globSync lchmod lchmodSync lchownSync linkSync lstatSync lutimesSync mkdirSync mkdtempDisposableSync mkdtempSync openAsBlob openAsBlobSync
        openSync opendirSync promises read readFileSync readSync readdirSync readlinkSync readv readvSync realpathSync renameSync rmSync rmdirSync statSync
        statfsSync symlinkSync truncateSync unlinkSync unwatchFile utimesSync watchFile write writeFileSync writeSync writev writevSync`,
    },
    notCaptured: {},
    // Streams, and everything else that opens files here, use the functions above.
    pure: `Dir Dirent F_OK FileReadStream FileWriteStream R_OK ReadStream Stats Utf8Stream W_OK WriteStream X_OK _toUnixTimestamp constants`,
  },
  {
    place: 'node:fs/promises',
    captured: { filesystem: `${BOTH} glob lchmod mkdtempDisposable` },
    notCaptured: {},
    pure: 'constants',
  },
  {
    place: 'FileHandle',
    captured: {
      filesystem: `appendFile chmod chown close createReadStream createWriteStream datasync fd read readFile readLines readableWebStream readv stat sync
        truncate utimes write writeFile writev`,
    },
    notCaptured: {},
    pure: 'constructor getAsyncId',
  },
]
