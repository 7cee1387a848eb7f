/** Coverage of the names that reach the network: see coverage.ts. */
import type { Place } from './coverage-place.ts'

export const networkCoverage: readonly Place[] = [
  {
    place: 'node:dns',
    captured: {
      network: `getServers setDefaultResultOrder setServers lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname
        resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTlsa resolveTxt reverse`,
    },
    harmless: {
      'changes this process only': 'getDefaultResultOrder',
      'its methods are in the table': 'Resolver promises',
    },
  },
  {
    place: 'node:dns.Resolver#',
    captured: {
      network: `resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx
        resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTlsa resolveTxt reverse`,
    },
  },
  {
    place: 'node:dns.promises',
    captured: {
      network: `getServers setDefaultResultOrder setServers lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname
        resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTlsa resolveTxt reverse`,
    },
    harmless: {
      'changes this process only': 'getDefaultResultOrder',
      'its methods are in the table': 'Resolver',
    },
  },
  {
    place: 'node:dns.promises.Resolver#',
    captured: {
      network: `resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx
        resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTlsa resolveTxt reverse`,
    },
  },
  {
    place: 'node:dgram',
    captured: { network: 'createSocket' },
    refused: { network: '_createSocketHandle' },
    harmless: { 'makes a socket that is neither bound nor connected': 'Socket' },
  },
  {
    place: 'node:dgram.Socket#',
    captured: {
      network: `addMembership addSourceSpecificMembership address bind close connect disconnect dropMembership
        dropSourceSpecificMembership getRecvBufferSize getSendBufferSize getSendQueueCount getSendQueueSize
        ref remoteAddress send setBroadcast setMulticastInterface setMulticastLoopback setMulticastTTL
        setRecvBufferSize setSendBufferSize setTTL unref`,
    },
    refused: { network: 'bindSync connectSync' },
    harmless: {
      'acts on a socket; sending, binding and connecting are captured or refused': `_bindState _handle _healthCheck _queue _receiving _reuseAddr _stopReceiving sendto`,
    },
  },
  {
    place: 'node:net',
    captured: { network: 'connect createConnection' },
    refused: { network: 'BoundSocket _TransferredBoundSocket _createServerHandle' },
    harmless: {
      'its methods are in the table': 'Server Socket Stream createServer',
      'changes this process only': `_setSimultaneousAccepts setDefaultAutoSelectFamily
        setDefaultAutoSelectFamilyAttemptTimeout`,
    },
    pure: `BlockList SocketAddress _normalizeArgs getDefaultAutoSelectFamily
      getDefaultAutoSelectFamilyAttemptTimeout isIP isIPv4 isIPv6`,
  },
  {
    place: 'node:net.BlockList',
    pure: 'isBlockList',
  },
  {
    place: 'node:net.BlockList#',
    pure: `addAddress addAddresses addCIDR addCIDRs addRange addSubnet check clear fromJSON
      removeAddress removeCIDR removeRange removeSubnet toJSON`,
  },
  {
    place: 'node:net.SocketAddress',
    pure: 'isSocketAddress parse',
  },
  {
    place: 'node:net.SocketAddress#',
    pure: 'toJSON',
  },
  {
    place: 'node:net.BoundSocket#',
    harmless: { 'belongs to a class that cannot be made in a replay': 'address close fd' },
  },
  {
    place: 'node:net._TransferredBoundSocket#',
    harmless: { 'belongs to a class that cannot be made in a replay': 'address close fd' },
  },
  {
    place: 'node:net.Server#',
    captured: { network: 'listen' },
    guarded: { network: '_listen2' },
    harmless: {
      'describes a server; listening is what is refused': `_emitCloseIfDrained _setupWorker address close getConnections ref unref`,
    },
  },
  {
    place: 'node:net.Socket#',
    captured: { network: 'connect' },
    harmless: {
      'acts on a socket; connecting is captured': `_destroy _final _getpeername _getsockname _handle _onTimeout _read _reset
        _unrefTimer _write _writeGeneric _writev address destroySoon end getTypeOfService pause read ref
        resetAndDestroy resume setKeepAlive setNoDelay setTimeout setTypeOfService unref`,
    },
  },
  {
    place: 'node:tls',
    captured: { network: 'connect' },
    guarded: { network: 'createSecureContext createServer' },
    harmless: {
      'its methods are in the table': 'Server TLSSocket',
      'changes this process only': 'setDefaultCACertificates',
    },
    notCaptured: { getCACertificates: 'certificates of the machine' },
    pure: `SecureContext checkServerIdentity convertALPNProtocols createSecurePair
      getCertificateCompressionAlgorithms getCiphers rootCertificates`,
  },
  {
    place: 'node:tls.TLSSocket#',
    harmless: {
      'acts on a socket; connecting is captured or refused': `_destroySSL _emitTLSError _finishInit _handleTimeout _init _releaseControl _start
        _tlsError _wrapHandle disableRenegotiation enableTrace exportKeyingMaterial getCertificate
        getCipher getEphemeralKeyInfo getFinished getPeerCertificate getPeerFinished
        getPeerX509Certificate getProtocol getSession getSharedSigalgs getTLSTicket getX509Certificate
        isSessionReused renegotiate setKeyCert setMaxSendFragment setServername setSession`,
    },
  },
  {
    place: 'node:tls.Server#',
    harmless: {
      'describes a server; listening is what is refused': `_getServerData _setServerData addContext getTicketKeys setOptions
        setSecureContext setTicketKeys`,
    },
  },
  {
    place: 'node:http',
    captured: { network: 'Agent ClientRequest get request' },
    harmless: {
      'does its work by functions that are in the table themselves': 'WebSocket _connectionListener',
      'its methods are in the table': 'Server createServer',
      'changes this process only': 'setGlobalProxyFromEnv setMaxIdleHTTPParsers',
    },
    pure: `CloseEvent IncomingMessage MessageEvent OutgoingMessage ServerResponse globalAgent
      maxHeaderSize validateHeaderName validateHeaderValue`,
  },
  {
    place: 'node:http.Agent#',
    captured: { network: 'createConnection' },
    harmless: {
      'does its work by functions that are in the table themselves': `addRequest createSocket destroy getName keepSocketAlive removeSocket reuseSocket`,
    },
  },
  {
    place: 'node:http.ClientRequest#',
    harmless: {
      'does its work by functions that are in the table themselves': `_deferToConnect _finish _implicitHeader abort clearTimeout destroy onSocket path
        setNoDelay setSocketKeepAlive setTimeout`,
    },
  },
  {
    place: 'node:http.IncomingMessage#',
    harmless: {
      'does its work by functions that are in the table themselves': `_addHeaderLine _addHeaderLineDistinct _addHeaderLines _destroy _dump
        _dumpAndCloseReadable _read connection headers headersDistinct setTimeout trailers
        trailersDistinct`,
    },
  },
  {
    place: 'node:http.OutgoingMessage#',
    harmless: {
      'does its work by functions that are in the table themselves': `_finish _flush _flushOutput _headerNames _headers _implicitHeader
        _isLenientHeaderValidation _renderHeaders _send _storeHeader _writeRaw addTrailers appendHeader
        connection cork destroy end flushHeaders getHeader getHeaderNames getHeaders getRawHeaderNames
        hasHeader pipe removeHeader setHeader setHeaders setTimeout socket uncork write`,
    },
  },
  {
    place: 'node:http.Server#',
    harmless: {
      'describes a server; listening is what is refused':
        'close closeAllConnections closeIdleConnections setTimeout',
    },
  },
  {
    place: 'node:http.ServerResponse#',
    harmless: {
      'does its work by functions that are in the table themselves': `_finish _implicitHeader assignSocket detachSocket writeContinue writeEarlyHints
        writeHead writeHeader writeInformation writeProcessing`,
    },
  },
  {
    place: 'node:http.validateHeaderName',
    pure: 'withoutStackTrace',
  },
  {
    place: 'node:http.validateHeaderValue',
    pure: 'withoutStackTrace',
  },
  {
    place: 'node:http.WebSocket#',
    harmless: {
      'does its work by functions that are in the table themselves':
        'binaryType close onclose onerror onmessage onopen send',
    },
  },
  {
    place: 'node:http.MessageEvent#',
    pure: 'initMessageEvent',
  },
  {
    place: 'node:http2',
    captured: { network: 'connect performServerHandshake' },
    harmless: {
      'its methods are in the table': 'createSecureServer createServer',
    },
    pure: `Http2ServerRequest Http2ServerResponse getDefaultSettings getPackedSettings
      getUnpackedSettings`,
  },
  {
    place: 'node:http2.Http2ServerRequest#',
    harmless: {
      'does its work by functions that are in the table themselves': '_read method setTimeout url',
    },
  },
  {
    place: 'node:http2.Http2ServerResponse#',
    harmless: {
      'does its work by functions that are in the table themselves': `addTrailers appendHeader cork createPushResponse destroy end flushHeaders
        getHeader getHeaderNames getHeaders hasHeader removeHeader sendDate setHeader setTimeout
        setTrailer statusCode statusMessage uncork write writeContinue writeEarlyHints writeHead
        writeInformation`,
    },
  },
  {
    place: 'node:https',
    captured: { network: 'Agent get request' },
    harmless: { 'its methods are in the table': 'Server createServer' },
  },
  {
    place: 'node:https.Agent#',
    captured: { network: 'createConnection' },
    harmless: {
      'does its work by functions that are in the table themselves': `_cacheSession _evictSession _getSession getName keepSocketAlive`,
    },
  },
  {
    place: 'node:https.Server#',
    harmless: {
      'describes a server; listening is what is refused':
        'close closeAllConnections closeIdleConnections setTimeout',
    },
  },
  {
    place: 'node:_http_agent',
    harmless: { 'does its work by functions that are in the table themselves': 'Agent' },
  },
  {
    place: 'node:_http_client',
    harmless: { 'does its work by functions that are in the table themselves': 'ClientRequest' },
  },
  {
    place: 'node:_http_common',
    pure: `HTTPParser _checkInvalidHeaderChar _checkIsHttpToken calculateLenientFlags
      freeParser isLenient prepareError`,
  },
  {
    place: 'node:_http_common.HTTPParser#',
    pure: `close consume duration execute finish free getCurrentBuffer headersCompleted
      initialize pause remove resume unconsume`,
  },
  {
    place: 'node:_http_incoming',
    harmless: {
      'does its work by functions that are in the table themselves': 'IncomingMessage readStart readStop',
    },
  },
  {
    place: 'node:_http_outgoing',
    harmless: {
      'does its work by functions that are in the table themselves': `OutgoingMessage parseUniqueHeadersOption validateHeaderName validateHeaderValue`,
    },
  },
  {
    place: 'node:_http_server',
    harmless: {
      'does its work by functions that are in the table themselves': `Server ServerResponse _connectionListener httpServerPreClose
        setupConnectionsTracking storeHTTPOptions`,
    },
  },
  {
    place: 'node:_tls_common',
    guarded: { network: 'createSecureContext' },
    pure: 'SecureContext translatePeerCertificate',
  },
  {
    place: 'node:_tls_wrap',
    guarded: { network: 'createServer' },
    harmless: { 'does its work by functions that are in the table themselves': 'Server TLSSocket connect' },
  },
]
