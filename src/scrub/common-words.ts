/**
 * Values that are too common to search for everywhere, although a variable with a secret name has them: a
 * frequent word, one character repeated, a sequence of digits. Replacing them in every file would change what
 * the program reads.
 */
export function isCommonWord(value: string): boolean {
  const word = value.toLowerCase()
  return (
    wordSet().has(word) ||
    /^(.)\1*$/su.test(value) ||
    '01234567890123456789'.includes(word) ||
    'abcdefghijklmnopqrstuvwxyz'.includes(word)
  )
}

/** Made when a value is first checked: most runs have none. */
let words: ReadonlySet<string> | null = null

function wordSet(): ReadonlySet<string> {
  words ??= new Set(COMMON_WORDS.split(/\s+/))
  return words
}

const COMMON_WORDS = `absolute abstract accepted accessed accounts activate activity actually addition adequate advanced although analysis analytics announce anonymous
   another answered anything apparent appendix application applications approach approval architecture argument arguments assemble assembly assembled
   assistant associated assuming asynchronous attached attempt attempted attempts attention attribute attributes authenticated authentication author
   authority authorization authorized automatic automatically available average backward balanced baseline basename because becoming behavior behaviour
   benchmark benefits between boundaries boundary breaking browser building built-in business calculate calculated callback cancelled candidate
   capacity capture captured category certain challenge changelog changeme changeit character characters children circular classes cleanup client-id
   clipboard collapse collection columns combination combined comments commands commercial commit communication community company compare compared
   comparison compatible compile complete completed completely completion complex component components composer computer concurrent condition
   conditions configuration configure configured confirm confirmed conflict connect connected connection connections consider consistent console
   constant constraint construct constructor consumer contains container containers content contents context continue continued contract contribution
   control controller conversion converted cookies copyright corporate correct correctly corrupted coverage created creation credential credentials
   critical currency current currently customer dashboard database datetime deadline debugging decision declaration declared decrypted default defaults
   deferred definition definitions delegate deleted delivery dependencies dependency deployed deployment deprecated description descriptor designed
   desktop destination destroy detailed detected determine developer developers development dictionary different directly directories directory disabled
   discover dispatch display distance distributed distribution document documentation documents download duplicate duration dynamic edition editorial
   education effective efficient electron elements embedded employee enabled encoding encounter encrypted encryption endpoint endpoints engineer enough
   enterprise entities environment environments equality equivalent error-free escaped essential estimate evaluate everyone everything evidence exactly
   examples exception exceptions exchange execute executed execution existing expanded expected experience experiment expired explicit export expression
   extended extension extensions external extracted failures fallback features fetching filename filesystem filter finalize finished firebase following
   football foreground forever formatted forwards foundation fragment framework frequency frontend function functional functions generate generated
   generation generator generic graphics guarantee handlers happened hardware hierarchy highlight historical homepage horizontal hostname however
   identical identifier identity ignored immediate immutable implement implementation implemented implicit important imported improvement incoming
   included includes incorrect increase indicate individual industry infinite information inherited initial initialize inserted inside-out inspect
   instance instances instead instruction instructions integer integration interactive interest interface interfaces internal international internet
   interrupt interval invalid inventory isolated iterator javascript keyboard keywords knowledge language languages latitude letmein library licence
   license lifecycle lifetime lightweight limitation listener literally loading localhost location locations lockfile logging longitude machine
   maintain maintenance malformed management manager mandatory manifest manually mapping markdown marketing material maximum measured mechanism member
   membership message messages metadata method methods metrics microservice middleware migration minimum minified missing mobile modified modules
   monitor monitoring multiple multiply namespace national natural navigation necessary negative negotiate network networks nobody notification
   notifications nullable numbers numeric objective objects observable occurred official operating operation operations operator optimistic optimized
   optional options ordering organization organizations original otherwise outgoing overflow override overview ownership packages padding paragraph
   parallel parameter parameters parent parsing participant particular partition password password1 password123 passw0rd p@ssw0rd passphrase patterns
   payload pending percentage performance performed permanent permission permissions persistent personal physical pipeline placeholder platform
   platforms playground pointer policies population position positive possible possibly postgres postgresql practice precision prefixed preference
   preferences prepared presence present preserve pressure previous previously principal printable priority privacy private privilege probably problem
   problems procedure process processed processes processing processor produce producer product production products professional profile program
   programming programs progress project projects promise promises properly properties property protected protocol prototype provide provided provider
   providers proxying publication publicly publish published purchase purpose qualified quality quarantine question questions quickly qwertyui qwerty123
   random readable readonly reality realtime reasonable received receiver recommend recommended recorded recording recovery recursive redacted redirect
   reduced reference references referrer refreshed regardless register registered registration registry regular rejected related relation relationship
   relative release released relevant reliable remaining remember remote removed rendering repeated replace replaced replacement replicas report
   reported repository represent representation request requested requests require required requirement requirements research reserved resolved
   resource resources response responses responsible restart restored restricted result results returned returns reusable revision rollback routing
   runtime sandbox satisfied scalable schedule scheduled scheduler science screenshot secondary secret123 secrets sections security selected selection
   selector semantic sensitive sentence separate separated separator sequence sequential serialize serialized server server-side servers service
   services session sessions settings several shipping shortcut shutdown signature significant similar simplified simulate situation skeleton snapshot
   snapshots social software solution someone something sometimes source special specific specification specified stability standard standards
   starting startup statement statements static statistics storage strategy streaming strength string strings structure structured subclass subject
   submission submitted subscribe subscription subsequent successful successfully suggestion suitable summary superuser support supported suppose
   surface suspended switching symbolic synchronize synchronous syntax systems technical technique technology template templates temporary terminal
   terminate test-key test-token testing testpassword therefore thousand threshold throughout timeout timestamp together tokenizer tolerance toolchain
   tracking trademark traditional transaction transactions transfer transform transformation transition translate translation transparent transport
   traverse triggers trigger troubleshooting truncated tutorial typescript typically ultimate undefined understand understanding unexpected unhandled
   uniform uninstall universal university unknown unlimited unrelated unsupported updated upgrade uploaded utilities validate validated validation
   validator valuable variable variables variation verbose verification verified version versions vertical viewport violation virtual visibility
   visible visitor warning warnings webhook website welcome welcome1 whatever whenever whether whitespace wildcard windows without workflow workspace
   workspaces yourself admin123 administrator superadmin username anonymous1 dev-secret devsecret secretkey`
