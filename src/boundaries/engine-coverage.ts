/**
 * Coverage of the engine and of what runs next to it (V8, modules, threads, inspector, databases, native
 * code): see coverage.ts.
 */
import type { Place } from './coverage-place.ts'

export const engineCoverage: readonly Place[] = [
  {
    place: 'process.memoryUsage',
    captured: { env: 'rss' },
  },
  {
    place: 'process.hrtime',
    captured: { clock: 'bigint' },
  },
  {
    place: 'process.report',
    refused: { process: 'writeReport' },
    guarded: { process: 'reportOnFatalError reportOnSignal reportOnUncaughtException' },
    harmless: {
      'describes a report; writing it is refused':
        'compact directory excludeEnv excludeNetwork filename signal',
    },
    notCaptured: { getReport: 'facts of process and machine' },
  },
  {
    place: 'process.finalization',
    pure: 'register registerBeforeExit unregister',
  },
  {
    place: 'node:child_process.ChildProcess#',
    captured: { process: 'spawn' },
    harmless: { 'works on an object that only a captured or refused call makes': 'kill ref unref' },
  },
  {
    place: 'node:cluster',
    refused: { process: 'fork' },
    harmless: {
      'changes this process only': 'setupMaster setupPrimary',
      'works on an object that only a captured or refused call makes': 'Worker disconnect',
    },
  },
  {
    place: 'node:cluster.Worker#',
    harmless: {
      'belongs to a class that cannot be made in a replay': 'destroy disconnect isConnected isDead kill send',
    },
  },
  {
    place: 'node:inspector',
    refused: { process: 'open' },
    harmless: {
      'acts only on an inspector that is open': 'close url waitForDebugger',
      'sends to an inspector that is open': 'DOMStorage Network NetworkResources',
    },
    notCaptured: { Session: 'answers of V8' },
  },
  {
    place: 'node:inspector.Session#',
    harmless: { 'changes this process only': 'connect connectToMainThread disconnect' },
    notCaptured: { post: 'answers of V8' },
  },
  {
    place: 'node:inspector.Network',
    harmless: {
      'sends to an inspector that is open': `dataReceived dataSent loadingFailed loadingFinished requestWillBeSent
        responseReceived webSocketClosed webSocketCreated webSocketHandshakeResponseReceived`,
    },
  },
  {
    place: 'node:inspector.NetworkResources',
    harmless: { 'sends to an inspector that is open': 'put' },
  },
  {
    place: 'node:inspector.DOMStorage',
    harmless: {
      'sends to an inspector that is open': `domStorageItemAdded domStorageItemRemoved domStorageItemUpdated
        domStorageItemsCleared registerStorage`,
    },
  },
  {
    place: 'node:inspector/promises',
    refused: { process: 'open' },
    harmless: {
      'acts only on an inspector that is open': 'close url waitForDebugger',
      'sends to an inspector that is open': 'DOMStorage Network NetworkResources',
    },
    notCaptured: { Session: 'answers of V8' },
  },
  {
    place: 'node:inspector/promises.Session#',
    notCaptured: { post: 'answers of V8' },
  },
  {
    place: 'node:module',
    guarded: { process: 'enableCompileCache' },
    harmless: {
      'loading modules is no effect; a native addon is refused by process.dlopen': `Module SourceMap _debug _extensions _findPath _initPaths _load _nodeModulePaths
        _preloadModules _readPackage _resolveFilename _resolveLookupPaths _stat createRequire
        findPackageJSON findSourceMap flushCompileCache getCompileCacheDir getSourceMapsSupport
        isBuiltin registerHooks runMain setSourceMapsSupport stripTypeScriptTypes syncBuiltinESMExports
        wrap wrapper`,
    },
    notCaptured: { register: 'hooks on a thread of their own: a note' },
  },
  {
    place: 'node:module._extensions',
    harmless: {
      'loading modules is no effect; a native addon is refused by process.dlopen': '.js .json .node',
    },
  },
  {
    place: 'node:module.Module#',
    harmless: {
      'loading modules is no effect; a native addon is refused by process.dlopen':
        '_compile load parent require',
    },
  },
  {
    place: 'node:module.SourceMap#',
    pure: 'findEntry findOrigin',
  },
  {
    place: 'node:os.homedir',
    pure: 'withoutStackTrace',
  },
  {
    place: 'node:os.hostname',
    pure: 'withoutStackTrace',
  },
  {
    place: 'node:os.uptime',
    pure: 'withoutStackTrace',
  },
  {
    place: 'node:repl',
    harmless: {
      'does its work by functions that are in the table themselves': `REPLServer Recoverable _builtinLibs builtinModules isValidSyntax start writer`,
    },
  },
  {
    place: 'node:repl.REPLServer#',
    harmless: {
      'does its work by functions that are in the table themselves': `_handleError clearBufferedCommand close complete completeOnEditorMode
        createContext defineCommand displayPrompt resetContext setPrompt setupHistory`,
    },
  },
  {
    place: 'node:sea',
    harmless: {
      'reads what is inside the running program file':
        'getAsset getAssetAsBlob getAssetKeys getRawAsset isSea',
    },
  },
  {
    place: 'node:sqlite',
    refused: { filesystem: 'backup' },
    guarded: { filesystem: 'DatabaseSync' },
    harmless: { 'belongs to a class that cannot be made in a replay': 'Session StatementSync' },
  },
  {
    place: 'node:sqlite.DatabaseSync#',
    refused: { filesystem: 'createTagStore loadExtension' },
    guarded: { filesystem: 'exec prepare' },
    harmless: {
      'opening a file is refused when the database is made': 'open',
      'acts on a database in memory': `aggregate applyChangeset close createSession deserialize enableDefensive
        enableLoadExtension function location serialize setAuthorizer`,
    },
  },
  {
    place: 'node:sqlite.StatementSync#',
    harmless: {
      'acts on a database in memory': `all close columns get iterate resetStats run setAllowBareNamedParameters
        setAllowUnknownNamedParameters setReadBigInts setReturnArrays stat`,
    },
  },
  {
    place: 'node:sqlite.Session#',
    harmless: { 'acts on a database in memory': 'changeset close patchset' },
  },
  {
    place: 'node:test',
    harmless: {
      'does its work by functions that are in the table themselves': `after afterEach assert before beforeEach describe expectFailure getTestContext it
        mock only run skip snapshot suite test todo`,
    },
  },
  {
    place: 'node:test.describe',
    harmless: {
      'does its work by functions that are in the table themselves': 'expectFailure only skip todo',
    },
  },
  {
    place: 'node:test.snapshot',
    harmless: {
      'does its work by functions that are in the table themselves':
        'setDefaultSnapshotSerializers setResolveSnapshotPath',
    },
  },
  {
    place: 'node:test.assert',
    pure: 'register',
  },
  {
    place: 'node:test/reporters',
    pure: 'dot junit lcov spec tap',
  },
  {
    place: 'node:trace_events',
    refused: { filesystem: 'createTracing' },
    pure: 'getEnabledCategories',
  },
  {
    place: 'node:tty',
    captured: { stdio: 'isatty' },
    harmless: { 'works on an object that only a captured or refused call makes': 'ReadStream WriteStream' },
  },
  {
    place: 'node:tty.ReadStream#',
    harmless: { 'acts on the terminal of this process': 'setRawMode' },
  },
  {
    place: 'node:tty.WriteStream#',
    harmless: {
      'acts on the terminal of this process': `_refreshSize clearLine clearScreenDown cursorTo getColorDepth getWindowSize
        hasColors moveCursor`,
    },
  },
  {
    place: 'node:v8',
    refused: {
      filesystem: `setHeapProfileNearHeapLimit setHeapSnapshotNearHeapLimit takeCoverage
        writeHeapSnapshot`,
    },
    guarded: { filesystem: 'setFlagsFromString' },
    harmless: {
      'reads figures of this process, which differ in each run': `GCProfiler getCppHeapStatistics getHeapCodeStatistics getHeapSnapshot
        getHeapSpaceStatistics getHeapStatistics queryObjects startCpuProfile startHeapProfile`,
      'changes this process only': 'promiseHooks startupSnapshot stopCoverage',
    },
    pure: `DefaultDeserializer DefaultSerializer Deserializer Serializer cachedDataVersionTag
      deserialize isStringOneByteRepresentation serialize`,
  },
  {
    place: 'node:v8.Serializer#',
    pure: `_getDataCloneError _setTreatArrayBufferViewsAsHostObjects releaseBuffer
      transferArrayBuffer writeDouble writeHeader writeRawBytes writeUint32 writeUint64 writeValue`,
  },
  {
    place: 'node:v8.Deserializer#',
    pure: `_readRawBytes getWireFormatVersion readDouble readHeader readRawBytes readUint32
      readUint64 readValue transferArrayBuffer`,
  },
  {
    place: 'node:v8.DefaultSerializer#',
    pure: '_writeHostObject',
  },
  {
    place: 'node:v8.DefaultDeserializer#',
    pure: '_readHostObject',
  },
  {
    place: 'node:v8.promiseHooks',
    harmless: { 'changes this process only': 'createHook onAfter onBefore onInit onSettled' },
  },
  {
    place: 'node:v8.startupSnapshot',
    harmless: {
      'changes this process only': `addDeserializeCallback addSerializeCallback isBuildingSnapshot
        setDeserializeMainFunction`,
    },
  },
  {
    place: 'node:v8.GCProfiler#',
    harmless: { 'reads figures of this process, which differ in each run': 'start stop' },
  },
  {
    place: 'node:vm',
    harmless: {
      'runs code in this process: what it calls is captured or refused; a new context has a real clock and random numbers of its own': `Script compileFunction createContext createScript isContext runInContext
        runInNewContext runInThisContext`,
    },
    notCaptured: { measureMemory: 'figures of this process' },
  },
  {
    place: 'node:vm.Script#',
    harmless: {
      'runs code in this process: what it calls is captured or refused; a new context has a real clock and random numbers of its own':
        'runInContext runInNewContext runInThisContext',
    },
  },
  {
    place: 'node:wasi',
    refused: { process: 'WASI' },
  },
  {
    place: 'node:wasi.WASI#',
    harmless: {
      'belongs to a class that cannot be made in a replay':
        'finalizeBindings getImportObject initialize start',
    },
  },
  {
    place: 'node:worker_threads',
    captured: { offthread: 'BroadcastChannel MessageChannel MessagePort' },
    guarded: { offthread: 'Worker' },
    harmless: {
      'reaches threads of this process only': `getEnvironmentData isMarkedAsUntransferable markAsUncloneable
        markAsUntransferable moveMessagePortToContext postMessageToThread receiveMessageOnPort
        setEnvironmentData`,
    },
  },
  {
    place: 'node:worker_threads.MessagePort#',
    harmless: {
      'reaches threads of this process only': `close hasRef onmessage onmessageerror postMessage ref start unref`,
    },
  },
  {
    place: 'node:worker_threads.BroadcastChannel#',
    harmless: {
      'reaches threads of this process only': 'close onmessage onmessageerror postMessage ref unref',
    },
  },
  {
    place: 'node:worker_threads.Worker#',
    harmless: {
      'belongs to a class that cannot be made in a replay': `cpuUsage getHeapSnapshot getHeapStatistics postMessage ref startCpuProfile
        startHeapProfile terminate unref`,
    },
  },
  {
    place: 'node:ffi',
    refused: {
      process: `DynamicLibrary dlclose dlopen dlsym exportArrayBuffer exportArrayBufferView
        exportBuffer exportString getCurrentEventLoop getFloat32 getFloat64 getInt16 getInt32 getInt64
        getInt8 getRawPointer getUint16 getUint32 getUint64 getUint8 setFloat32 setFloat64 setInt16
        setInt32 setInt64 setInt8 setUint16 setUint32 setUint64 setUint8 toArrayBuffer toBuffer toString`,
    },
  },
  {
    place: 'node:ffi.DynamicLibrary#',
    harmless: {
      'belongs to a class that cannot be made in a replay': `close getFunction getFunctions getSymbol getSymbols refCallback registerCallback
        unrefCallback unregisterCallback`,
    },
  },
]
