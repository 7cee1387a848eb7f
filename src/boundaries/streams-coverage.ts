/**
 * Coverage of streams, and of what reads and writes through them: see coverage.ts.
 */
import type { Place } from './coverage-place.ts'

export const streamsCoverage: readonly Place[] = [
  {
    place: 'node:events',
    pure: `EventEmitter EventEmitterAsyncResource addAbortListener captureRejections
      defaultMaxListeners getEventListeners getMaxListeners init listenerCount on once setMaxListeners`,
  },
  {
    place: 'node:events.EventEmitter#',
    pure: `addListener emit eventNames getMaxListeners listenerCount listeners off on once
      prependListener prependOnceListener rawListeners removeAllListeners removeListener setMaxListeners`,
  },
  {
    place: 'node:events.EventEmitterAsyncResource#',
    pure: 'emit emitDestroy',
  },
  {
    place: 'node:fs.realpath',
    captured: { filesystem: 'native' },
  },
  {
    place: 'node:fs.realpathSync',
    captured: { filesystem: 'native' },
  },
  {
    place: 'node:fs.Dirent#',
    pure: `isBlockDevice isCharacterDevice isDirectory isFIFO isFile isSocket isSymbolicLink`,
  },
  {
    place: 'node:fs.Stats#',
    pure: `_checkModeProperty atime atimeInstant birthtime birthtimeInstant ctime ctimeInstant
      isFile mtime mtimeInstant`,
  },
  {
    place: 'node:fs.ReadStream#',
    harmless: {
      'does its work by functions that are in the table themselves':
        '_construct _destroy _read autoClose close open',
    },
  },
  {
    place: 'node:fs.WriteStream#',
    harmless: {
      'does its work by functions that are in the table themselves': `_construct _destroy _write _writev autoClose close destroySoon open`,
    },
  },
  {
    place: 'node:fs.Dir#',
    harmless: {
      'works on an object that only a captured or refused call makes': `close closeSync entries processReadResult read readSync readSyncRecursive`,
    },
  },
  {
    place: 'node:readline',
    harmless: {
      'reads a stream that is captured': `Interface clearLine clearScreenDown createInterface cursorTo emitKeypressEvents
        moveCursor promises`,
    },
  },
  {
    place: 'node:readline.Interface#',
    pure: `_addHistory _decoder _deleteLeft _deleteLineLeft _deleteLineRight _deleteRight
      _deleteWordLeft _deleteWordRight _getCursorPos _getDisplayPos _historyNext _historyPrev
      _insertString _line _line_buffer _moveCursor _normalWrite _oldPrompt _onLine _previousKey _prompt
      _questionCallback _refreshLine _sawKeyPress _sawReturnAt _setRawMode _tabComplete _ttyWrite
      _wordLeft _wordRight _writeToOutput question`,
  },
  {
    place: 'node:readline.promises',
    harmless: { 'reads a stream that is captured': 'Interface Readline createInterface' },
  },
  {
    place: 'node:readline.promises.Interface#',
    pure: 'question',
  },
  {
    place: 'node:readline.promises.Readline#',
    pure: `clearLine clearScreenDown commit cursorTo moveCursor rollback`,
  },
  {
    place: 'node:stream',
    pure: `Duplex PassThrough Readable Stream Transform Writable _isArrayBufferView
      _isUint8Array _uint8ArrayToBuffer addAbortSignal compose destroy duplexPair finished
      getDefaultHighWaterMark isDestroyed isDisturbed isErrored isReadable isWritable pipeline promises
      setDefaultHighWaterMark`,
  },
  {
    place: 'node:stream.Readable',
    pure: 'ReadableState _fromList from fromWeb toWeb wrap',
  },
  {
    place: 'node:stream.Readable.ReadableState#',
    pure: `autoDestroy closeEmitted closed constructed dataEmitted decoder defaultEncoding
      destroyed emitClose emittedReadable encoding endEmitted ended errorEmitted errored flowing
      multiAwaitDrain needReadable objectMode paused readableListening reading readingMore
      resumeScheduled sync`,
  },
  {
    place: 'node:stream.Readable#',
    pure: `_destroy _read _undestroy addListener asIndexedPairs compose destroy destroyed drop
      every filter find flatMap forEach isPaused iterator map off on pause pipe push read readable
      readableFlowing reduce removeAllListeners removeListener resume setEncoding some take toArray
      unpipe unshift wrap`,
  },
  {
    place: 'node:stream.Writable',
    pure: 'WritableState fromWeb toWeb',
  },
  {
    place: 'node:stream.Writable.WritableState#',
    pure: `afterWriteTickInfo allBuffers allNoop autoDestroy bufferProcessing buffered
      closeEmitted closed constructed decodeStrings defaultEncoding destroyed emitClose ended ending
      errorEmitted errored finalCalled finished getBuffer needDrain objectMode prefinished sync writable
      writecb writing`,
  },
  {
    place: 'node:stream.Writable#',
    pure: `_destroy _undestroy _write cork destroy destroyed end pipe setDefaultEncoding
      uncork writable write`,
  },
  {
    place: 'node:stream.Duplex',
    pure: 'from fromWeb toWeb',
  },
  {
    place: 'node:stream.Duplex#',
    pure: `_write cork destroy destroyed end setDefaultEncoding uncork writable write`,
  },
  {
    place: 'node:stream.Transform#',
    pure: '_final _read _transform _write',
  },
  {
    place: 'node:stream.PassThrough#',
    pure: '_transform',
  },
  {
    place: 'node:stream.finished',
    pure: 'finished',
  },
  {
    place: 'node:stream.promises',
    pure: 'finished pipeline',
  },
  {
    place: 'node:stream.Stream#',
    pure: 'eventNames pipe',
  },
  {
    place: 'node:zlib',
    captured: {
      offthread: `BrotliCompress BrotliDecompress Deflate DeflateRaw Gunzip Gzip Inflate InflateRaw
        Unzip ZstdCompress ZstdDecompress brotliCompress brotliDecompress createBrotliCompress
        createBrotliDecompress createDeflate createDeflateRaw createGunzip createGzip createInflate
        createInflateRaw createUnzip createZstdCompress createZstdDecompress deflate deflateRaw gunzip
        gzip inflate inflateRaw unzip zstdCompress zstdDecompress`,
    },
    refused: { filesystem: 'createZipArchive createZipArchiveSync zipFiles' },
    pure: `ZipBuffer ZipEntry ZipFile brotliCompressSync brotliDecompressSync crc32
      deflateRawSync deflateSync getMaxZipContentSize gunzipSync gzipSync inflateRawSync inflateSync
      setMaxZipContentSize unzipSync zstdCompressSync zstdDecompressSync`,
  },
  {
    place: 'node:stream/consumers',
    pure: 'arrayBuffer blob buffer bytes json text',
  },
  {
    place: 'node:stream/web',
    pure: `ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy
      DecompressionStream ReadableByteStreamController ReadableStream ReadableStreamBYOBReader
      ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader
      ReadableStreamTee TextDecoderStream TextEncoderStream TransformStream
      TransformStreamDefaultController WritableStream WritableStreamDefaultController
      WritableStreamDefaultWriter`,
  },
  {
    place: 'node:stream/web.ReadableStream',
    pure: 'from',
  },
  {
    place: 'node:stream/web.ReadableStream#',
    pure: 'cancel getReader pipeThrough pipeTo tee values',
  },
  {
    place: 'node:stream/web.ReadableStreamDefaultReader#',
    pure: 'cancel read releaseLock',
  },
  {
    place: 'node:stream/web.ReadableStreamBYOBReader#',
    pure: 'cancel read releaseLock',
  },
  {
    place: 'node:stream/web.ReadableStreamBYOBRequest#',
    pure: 'respond respondWithNewView',
  },
  {
    place: 'node:stream/web.ReadableByteStreamController#',
    pure: 'close enqueue error',
  },
  {
    place: 'node:stream/web.ReadableStreamDefaultController#',
    pure: 'close enqueue error',
  },
  {
    place: 'node:stream/web.TransformStreamDefaultController#',
    pure: 'enqueue error terminate',
  },
  {
    place: 'node:stream/web.WritableStream#',
    pure: 'abort close getWriter',
  },
  {
    place: 'node:stream/web.WritableStreamDefaultWriter#',
    pure: 'abort close releaseLock write',
  },
  {
    place: 'node:stream/web.WritableStreamDefaultController#',
    pure: 'error',
  },
  {
    place: 'node:_stream_wrap',
    pure: 'StreamWrap',
  },
  {
    place: 'node:_stream_wrap.StreamWrap#',
    pure: `doClose doShutdown doWrite finishShutdown finishWrite isClosing readStart readStop`,
  },
  {
    place: 'node:fs.Utf8Stream#',
    harmless: {
      'does its work by functions that are in the table themselves':
        'destroy end flush flushSync reopen write',
    },
  },
  {
    place: 'node:zlib.ZipEntry',
    pure: 'create createStream createSymlink createSync read',
  },
  {
    place: 'node:zlib.ZipFile',
    refused: { filesystem: 'open openSync' },
  },
]
