/** Coverage of modules that work in memory: see coverage.ts. */
import type { Place } from './coverage-place.ts'

export const valuesCoverage: readonly Place[] = [
  {
    place: 'node:assert',
    pure: `Assert AssertionError CallTracker deepEqual deepStrictEqual doesNotMatch
      doesNotReject doesNotThrow equal fail ifError match notDeepEqual notDeepStrictEqual notEqual
      notStrictEqual ok partialDeepStrictEqual rejects strict strictEqual throws`,
  },
  {
    place: 'node:assert.AssertionError#',
    pure: 'toString',
  },
  {
    place: 'node:assert.CallTracker#',
    pure: 'calls getCalls report reset verify',
  },
  {
    place: 'node:assert.strict',
    pure: `Assert AssertionError CallTracker deepEqual deepStrictEqual doesNotMatch
      doesNotReject doesNotThrow equal fail ifError match notDeepEqual notDeepStrictEqual notEqual
      notStrictEqual ok partialDeepStrictEqual rejects strict strictEqual throws`,
  },
  {
    place: 'node:async_hooks',
    pure: `AsyncLocalStorage AsyncResource createHook executionAsyncId executionAsyncResource
      triggerAsyncId`,
  },
  {
    place: 'node:async_hooks.AsyncLocalStorage',
    pure: 'bind snapshot',
  },
  {
    place: 'node:async_hooks.AsyncLocalStorage#',
    pure: `_enable _propagate disable enterWith exit getStore run withScope`,
  },
  {
    place: 'node:async_hooks.AsyncResource',
    pure: 'bind',
  },
  {
    place: 'node:async_hooks.AsyncResource#',
    pure: 'asyncId bind emitDestroy runInAsyncScope triggerAsyncId',
  },
  {
    place: 'node:buffer',
    pure: `Blob Buffer File INSPECT_MAX_BYTES SlowBuffer atob btoa isAscii isUtf8
      resolveObjectURL transcode`,
  },
  {
    place: 'node:buffer.Buffer',
    pure: `alloc allocUnsafe allocUnsafeSlow byteLength compare concat copyBytesFrom from
      isBuffer isEncoding of`,
  },
  {
    place: 'node:buffer.Buffer#',
    pure: `asciiSlice asciiWrite base64Slice base64Write base64urlSlice base64urlWrite compare
      copy equals fill hexSlice hexWrite includes indexOf inspect lastIndexOf latin1Slice latin1Write
      readBigInt64BE readBigInt64LE readBigUInt64BE readBigUInt64LE readBigUint64BE readBigUint64LE
      readDoubleBE readDoubleLE readFloatBE readFloatLE readInt16BE readInt16LE readInt32BE readInt32LE
      readInt8 readIntBE readIntLE readUInt16BE readUInt16LE readUInt32BE readUInt32LE readUInt8
      readUIntBE readUIntLE readUint16BE readUint16LE readUint32BE readUint32LE readUint8 readUintBE
      readUintLE slice subarray swap16 swap32 swap64 toJSON toLocaleString toString ucs2Slice ucs2Write
      utf8Slice utf8Write write writeBigInt64BE writeBigInt64LE writeBigUInt64BE writeBigUInt64LE
      writeBigUint64BE writeBigUint64LE writeDoubleBE writeDoubleLE writeFloatBE writeFloatLE
      writeInt16BE writeInt16LE writeInt32BE writeInt32LE writeInt8 writeIntBE writeIntLE writeUInt16BE
      writeUInt16LE writeUInt32BE writeUInt32LE writeUInt8 writeUIntBE writeUIntLE writeUint16BE
      writeUint16LE writeUint32BE writeUint32LE writeUint8 writeUintBE writeUintLE`,
  },
  {
    place: 'node:buffer.Blob#',
    pure: 'arrayBuffer bytes slice stream text textStream',
  },
  {
    place: 'node:console',
    pure: `Console _stderr _stderrErrorHandler _stdout _stdoutErrorHandler assert clear
      context count countReset createTask debug dir dirxml error group groupCollapsed groupEnd info log
      profile profileEnd table time timeEnd timeLog timeStamp trace warn`,
  },
  {
    place: 'node:console.Console#',
    pure: `assert clear count countReset debug dir dirxml error group groupCollapsed groupEnd
      info log table time timeEnd timeLog trace warn`,
  },
  {
    place: 'node:crypto.Certificate',
    pure: 'exportChallenge exportPublicKey verifySpkac',
  },
  {
    place: 'node:crypto.Certificate#',
    pure: 'exportChallenge exportPublicKey verifySpkac',
  },
  {
    place: 'node:crypto.Cipher#',
    pure: `_flush _transform final getAuthTag setAAD setAutoPadding update`,
  },
  {
    place: 'node:crypto.Cipheriv#',
    pure: `_flush _transform final getAuthTag setAAD setAutoPadding update`,
  },
  {
    place: 'node:crypto.Decipher#',
    pure: `_flush _transform final setAAD setAuthTag setAutoPadding update`,
  },
  {
    place: 'node:crypto.Decipheriv#',
    pure: `_flush _transform final setAAD setAuthTag setAutoPadding update`,
  },
  {
    place: 'node:crypto.DiffieHellman#',
    notCaptured: { generateKeys: 'makes random keys, which are not put on the tape' },
    pure: `computeSecret getGenerator getPrime getPrivateKey getPublicKey setPrivateKey
      setPublicKey`,
  },
  {
    place: 'node:crypto.DiffieHellmanGroup#',
    notCaptured: { generateKeys: 'makes random keys, which are not put on the tape' },
    pure: `computeSecret getGenerator getPrime getPrivateKey getPublicKey`,
  },
  {
    place: 'node:crypto.ECDH',
    pure: 'convertKey',
  },
  {
    place: 'node:crypto.ECDH#',
    notCaptured: { generateKeys: 'makes random keys, which are not put on the tape' },
    pure: `computeSecret getPrivateKey getPublicKey setPrivateKey setPublicKey`,
  },
  {
    place: 'node:crypto.Hash#',
    pure: '_flush _transform copy digest update',
  },
  {
    place: 'node:crypto.Hmac#',
    pure: '_flush _transform digest update',
  },
  {
    place: 'node:crypto.KeyObject',
    pure: 'from',
  },
  {
    place: 'node:crypto.KeyObject#',
    pure: 'equals toCryptoKey',
  },
  {
    place: 'node:crypto.Sign#',
    notCaptured: { sign: 'ECDSA and RSA-PSS signatures hold a random number' },
    pure: '_write update',
  },
  {
    place: 'node:crypto.Verify#',
    pure: '_write update verify',
  },
  {
    place: 'node:crypto.X509Certificate#',
    pure: `checkEmail checkHost checkIP checkIssued checkPrivateKey toJSON toLegacyObject
      toString verify`,
  },
  {
    place: 'node:diagnostics_channel',
    pure: `BoundedChannel Channel boundedChannel channel hasSubscribers subscribe
      tracingChannel unsubscribe`,
  },
  {
    place: 'node:diagnostics_channel.Channel#',
    pure: `bindStore publish runStores subscribe unbindStore unsubscribe withStoreScope`,
  },
  {
    place: 'node:domain',
    pure: 'Domain create createDomain',
  },
  {
    place: 'node:domain.Domain#',
    pure: '_errorHandler add bind enter exit intercept remove run',
  },
  {
    place: 'node:path',
    pure: `_makeLong basename dirname extname format isAbsolute join matchesGlob normalize
      parse posix relative resolve toNamespacedPath win32`,
  },
  {
    place: 'node:path.win32',
    pure: `_makeLong basename dirname extname format isAbsolute join matchesGlob normalize
      parse posix relative resolve toNamespacedPath win32`,
  },
  {
    place: 'node:perf_hooks.PerformanceEntry#',
    pure: 'toJSON',
  },
  {
    place: 'node:perf_hooks.PerformanceMark#',
    pure: 'toJSON',
  },
  {
    place: 'node:perf_hooks.PerformanceMeasure#',
    pure: 'toJSON',
  },
  {
    place: 'node:perf_hooks.PerformanceObserver',
    pure: 'supportedEntryTypes',
  },
  {
    place: 'node:perf_hooks.PerformanceObserver#',
    pure: 'disconnect observe takeRecords',
  },
  {
    place: 'node:perf_hooks.PerformanceObserverEntryList#',
    pure: 'getEntries getEntriesByName getEntriesByType',
  },
  {
    place: 'node:perf_hooks.PerformanceResourceTiming#',
    pure: 'toJSON',
  },
  {
    place: 'node:punycode',
    pure: 'decode encode toASCII toUnicode ucs2',
  },
  {
    place: 'node:punycode.ucs2',
    pure: 'decode encode',
  },
  {
    place: 'node:querystring',
    pure: `decode encode escape parse stringify unescape unescapeBuffer`,
  },
  {
    place: 'node:string_decoder',
    pure: 'StringDecoder',
  },
  {
    place: 'node:string_decoder.StringDecoder#',
    pure: 'end text write',
  },
  {
    place: 'node:url',
    pure: `URL URLPattern URLSearchParams Url domainToASCII domainToUnicode fileURLToPath
      fileURLToPathBuffer format parse pathToFileURL resolve resolveObject urlToHttpOptions`,
  },
  {
    place: 'node:url.Url#',
    pure: 'format parse parseHost resolve resolveObject',
  },
  {
    place: 'node:url.URL',
    pure: 'canParse createObjectURL parse revokeObjectURL',
  },
  {
    place: 'node:url.URL#',
    pure: `hash host hostname href password pathname port protocol search toJSON toString
      username`,
  },
  {
    place: 'node:url.URLSearchParams#',
    pure: `append delete entries forEach get getAll has keys set sort toString values`,
  },
  {
    place: 'node:util',
    pure: `MIMEParams MIMEType TextDecoder TextEncoder _errnoException _exceptionWithHostPort
      _extend aborted callbackify convertProcessSignalToExitCode debounce debug debuglog deprecate diff
      format formatWithOptions getCallSite getCallSites getSystemErrorMap getSystemErrorMessage
      getSystemErrorName inherits inspect isArray isBoolean isBuffer isDate isDeepStrictEqual isError
      isFunction isNull isNullOrUndefined isNumber isObject isPrimitive isRegExp isString isSymbol
      isUndefined log markPromiseAsHandled parseArgs parseEnv promisify setTraceSigInt
      stripVTControlCharacters styleText throttle toUSVString transferableAbortController
      transferableAbortSignal types`,
  },
  {
    place: 'node:util.inspect',
    pure: 'defaultOptions',
  },
  {
    place: 'node:util.types',
    pure: `isAnyArrayBuffer isArgumentsObject isArrayBuffer isArrayBufferView isAsyncFunction
      isBigInt64Array isBigIntObject isBigUint64Array isBooleanObject isBoxedPrimitive isCryptoKey
      isDataView isDate isExternal isFloat16Array isFloat32Array isFloat64Array isGeneratorFunction
      isGeneratorObject isInt16Array isInt32Array isInt8Array isKeyObject isMap isMapIterator
      isModuleNamespaceObject isNativeError isNumberObject isPromise isProxy isRegExp isSet
      isSetIterator isSharedArrayBuffer isStringObject isSymbolObject isTypedArray isUint16Array
      isUint32Array isUint8Array isUint8ClampedArray isWeakMap isWeakSet`,
  },
  {
    place: 'node:util.TextDecoder#',
    pure: 'decode',
  },
  {
    place: 'node:util.TextEncoder#',
    pure: 'encode encodeInto',
  },
  {
    place: 'node:util.MIMEType#',
    pure: 'subtype toJSON toString type',
  },
  {
    place: 'node:util.MIMEParams#',
    pure: 'delete entries get has keys set toJSON toString values',
  },
  {
    place: 'node:assert.strict.Assert#',
    pure: `deepEqual deepStrictEqual doesNotMatch doesNotReject doesNotThrow equal fail
      ifError match notDeepEqual notDeepStrictEqual notEqual notStrictEqual ok partialDeepStrictEqual
      rejects strictEqual throws`,
  },
  {
    place: 'node:url.URLPattern#',
    pure: 'exec test',
  },
  {
    place: 'node:util.MIMEType',
    pure: 'parse',
  },
  {
    place: 'node:diagnostics_channel.BoundedChannel#',
    pure: 'run subscribe unsubscribe withScope',
  },
]
