/**
 * Keys with a fixed prefix: for each service its prefix, and the minimum length and characters of its body.
 * One row per kind; `shapes.ts` makes rules of them.
 */
import {
  ALNUM,
  BASE64_PADDED,
  type CharClass,
  charClass,
  DOTTED,
  HEX,
  TOKEN,
  UPPER_DIGIT,
} from './char-class.ts'

const COOKIE = charClass('a-z', 'A-Z', '0-9', '_-.%+/=')
const PADDED_TOKEN = charClass('a-z', 'A-Z', '0-9', '=_-')
const BASE64_TOKEN = charClass('a-z', 'A-Z', '0-9', '_-+/=')

export type Shape = {
  readonly kind: string
  readonly prefixes: readonly string[]
  readonly body: CharClass
  /** Minimum length of the body. */
  readonly min: number
  /**
   * `random`: ordinary words have the same prefix, so the body must look random. `alone`: all of the key is
   * base64, so it must not be inside a longer run of base64.
   */
  readonly only?: 'random' | 'alone'
}

export const shapes: readonly Shape[] = [
  { kind: 'anthropic_key', prefixes: ['sk-ant-'], body: TOKEN, min: 12 },
  { kind: 'openrouter_key', prefixes: ['sk-or-'], body: TOKEN, min: 16 },
  { kind: 'openai_key', prefixes: ['sk-'], body: TOKEN, min: 20, only: 'random' },
  { kind: 'github_token', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], body: ALNUM, min: 20 },
  { kind: 'github_pat_fine', prefixes: ['github_pat_'], body: TOKEN, min: 22 },
  {
    kind: 'gitlab_token',
    prefixes: [
      ...[
        'glpat-',
        'gldt-',
        'glrt-',
        'glft-',
        'glsoat-',
        'glcbt-',
        'glptt-',
        'glagent-',
        'gloas-',
        'glimt-',
        'glffct-',
      ],
      ...['glwt-', 'glrtr-'],
    ],
    body: DOTTED,
    min: 16,
  },
  {
    kind: 'slack_token',
    prefixes: [
      'xoxb-',
      'xoxp-',
      'xoxa-',
      'xoxr-',
      'xoxs-',
      'xoxo-',
      'xoxe-',
      'xoxe.xox',
      'xapp-',
      'xoxc-',
      'xwfp-',
    ],
    body: DOTTED,
    min: 10,
  },
  // The cookie of a Slack session: URL-encoded base64.
  { kind: 'slack_cookie', prefixes: ['xoxd-'], body: COOKIE, min: 10 },
  { kind: 'huggingface_token', prefixes: ['hf_', 'api_org_'], body: ALNUM, min: 20 },
  { kind: 'cerebras_key', prefixes: ['csk-'], body: ALNUM, min: 20 },
  { kind: 'together_key', prefixes: ['tgp_v1_'], body: TOKEN, min: 20 },
  { kind: 'groq_key', prefixes: ['gsk_'], body: ALNUM, min: 20 },
  { kind: 'xai_key', prefixes: ['xai-'], body: TOKEN, min: 24, only: 'random' },
  { kind: 'perplexity_key', prefixes: ['pplx-'], body: ALNUM, min: 20 },
  { kind: 'replicate_token', prefixes: ['r8_'], body: ALNUM, min: 20 },
  { kind: 'tavily_key', prefixes: ['tvly-'], body: TOKEN, min: 16, only: 'random' },
  { kind: 'langsmith_key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: TOKEN, min: 16 },
  { kind: 'pinecone_key', prefixes: ['pcsk_'], body: TOKEN, min: 24 },
  { kind: 'nvidia_key', prefixes: ['nvapi-'], body: TOKEN, min: 30 },
  { kind: 'llama_cloud_key', prefixes: ['llx-'], body: ALNUM, min: 30 },
  { kind: 'jina_key', prefixes: ['jina_'], body: TOKEN, min: 30 },
  { kind: 'e2b_key', prefixes: ['e2b_'], body: HEX, min: 32 },
  { kind: 'firecrawl_key', prefixes: ['fc-'], body: HEX, min: 32 },
  { kind: 'google_oauth_token', prefixes: ['ya29.'], body: TOKEN, min: 16 },
  { kind: 'google_client_secret', prefixes: ['GOCSPX-'], body: TOKEN, min: 16 },
  { kind: 'npm_token', prefixes: ['npm_'], body: ALNUM, min: 20 },
  { kind: 'pypi_token', prefixes: ['pypi-AgE'], body: TOKEN, min: 20 },
  { kind: 'rubygems_key', prefixes: ['rubygems_'], body: HEX, min: 32 },
  { kind: 'clojars_token', prefixes: ['CLOJARS_'], body: ALNUM, min: 40 },
  { kind: 'stripe_key', prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], body: ALNUM, min: 10 },
  { kind: 'stripe_webhook_secret', prefixes: ['whsec_'], body: BASE64_PADDED, min: 20 },
  { kind: 'square_token', prefixes: ['sq0atp-', 'sq0csp-'], body: TOKEN, min: 20 },
  {
    kind: 'braintree_token',
    prefixes: ['access_token$production$', 'access_token$sandbox$'],
    body: ALNUM,
    min: 16,
  },
  { kind: 'sendgrid_key', prefixes: ['SG.'], body: DOTTED, min: 40, only: 'random' },
  { kind: 'brevo_key', prefixes: ['xkeysib-', 'xsmtpsib-'], body: TOKEN, min: 32 },
  { kind: 'digitalocean_token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: HEX, min: 32 },
  { kind: 'databricks_token', prefixes: ['dapi'], body: HEX, min: 32 },
  { kind: 'linear_key', prefixes: ['lin_api_', 'lin_oauth_'], body: ALNUM, min: 20 },
  { kind: 'notion_token', prefixes: ['ntn_'], body: ALNUM, min: 30 },
  { kind: 'supabase_token', prefixes: ['sbp_'], body: HEX, min: 32 },
  { kind: 'supabase_secret', prefixes: ['sb_secret_'], body: TOKEN, min: 20 },
  { kind: 'shopify_token', prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], body: HEX, min: 24 },
  { kind: 'vault_token', prefixes: ['hvs.', 'hvb.', 'hvr.'], body: TOKEN, min: 20 },
  { kind: 'docker_token', prefixes: ['dckr_pat_', 'dckr_oat_'], body: TOKEN, min: 20 },
  { kind: 'atlassian_token', prefixes: ['ATATT3', 'ATCTT3'], body: PADDED_TOKEN, min: 20, only: 'random' },
  { kind: 'bitbucket_password', prefixes: ['ATBB'], body: ALNUM, min: 28, only: 'alone' },
  { kind: 'grafana_token', prefixes: ['glc_', 'glsa_'], body: BASE64_TOKEN, min: 24, only: 'random' },
  { kind: 'new_relic_key', prefixes: ['NRAK-', 'NRII-', 'NRIQ-'], body: TOKEN, min: 24 },
  { kind: 'sentry_token', prefixes: ['sntrys_', 'sntryu_'], body: BASE64_TOKEN, min: 32 },
  { kind: 'posthog_key', prefixes: ['phx_'], body: ALNUM, min: 30 },
  {
    kind: 'planetscale_token',
    prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'],
    body: DOTTED,
    min: 30,
  },
  { kind: 'neon_key', prefixes: ['napi_'], body: ALNUM, min: 40 },
  { kind: 'netlify_token', prefixes: ['nfp_'], body: ALNUM, min: 30 },
  { kind: 'vercel_token', prefixes: ['vcp_', 'vck_', 'vercel_blob_rw_'], body: TOKEN, min: 24 },
  { kind: 'render_key', prefixes: ['rnd_'], body: ALNUM, min: 28, only: 'random' },
  { kind: 'heroku_key', prefixes: ['HRKU-'], body: TOKEN, min: 36 },
  { kind: 'fly_token', prefixes: ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], body: BASE64_TOKEN, min: 40 },
  { kind: 'pulumi_token', prefixes: ['pul-'], body: HEX, min: 40 },
  {
    kind: 'doppler_token',
    prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    body: DOTTED,
    min: 40,
  },
  { kind: 'tailscale_key', prefixes: ['tskey-'], body: TOKEN, min: 20, only: 'random' },
  { kind: 'postman_key', prefixes: ['PMAK-'], body: TOKEN, min: 50 },
  { kind: 'figma_token', prefixes: ['figd_', 'figu_'], body: TOKEN, min: 36 },
  { kind: 'hubspot_token', prefixes: ['pat-na1-', 'pat-eu1-', 'pat-na2-'], body: TOKEN, min: 36 },
  { kind: 'contentful_token', prefixes: ['CFPAT-'], body: TOKEN, min: 40 },
  { kind: 'dynatrace_token', prefixes: ['dt0c01.', 'dt0s01.', 'dt0s16.'], body: DOTTED, min: 60 },
  { kind: 'sourcegraph_token', prefixes: ['sgp_', 'slk_'], body: TOKEN, min: 40 },
  { kind: 'one_password_token', prefixes: ['ops_eyJ'], body: BASE64_TOKEN, min: 100 },
  { kind: 'dropbox_token', prefixes: ['sl.u.', 'sl.B'], body: TOKEN, min: 100 },
  { kind: 'artifactory_key', prefixes: ['AKCp'], body: ALNUM, min: 60, only: 'alone' },
  { kind: 'alibaba_key', prefixes: ['LTAI'], body: ALNUM, min: 16, only: 'alone' },
  { kind: 'mailgun_key', prefixes: ['key-'], body: HEX, min: 32 },
  { kind: 'age_key', prefixes: ['AGE-SECRET-KEY-1'], body: UPPER_DIGIT, min: 40 },
  { kind: 'aws_access_key', prefixes: ['AKIA', 'ASIA'], body: UPPER_DIGIT, min: 16, only: 'alone' },
  { kind: 'google_api_key', prefixes: ['AIza'], body: TOKEN, min: 30, only: 'alone' },
  { kind: 'azure_key', prefixes: ['AccountKey=', 'SharedAccessKey='], body: BASE64_PADDED, min: 40 },
]
