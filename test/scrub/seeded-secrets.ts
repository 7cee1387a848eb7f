/**
 * Secrets as they look in the wild, made up for the tests: none of them ever opened anything. Written in
 * pieces so that no scanner takes this file for a leak.
 */

const lower = 'q7w3e9r1t5y2u8i4o6p0a9s7d3f1g5h2j8k4l6z0x9c7v3b1n5m2'
const mixed =
  'Q7w3E9r1T5y2U8i4O6p0A9s7D3f1G5h2J8k4L6z0X9c7V3b1N5m2qWeRtYuIoPaSdFgHjKlZxCvBnM1234567890QwErTyUiOpAsDfGhJkL'
const upper = mixed.toUpperCase()
const hex = '0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdef0123456789abcdef'

export const pemBlock = `-----BEGIN RSA PRIVATE KEY-----\n${Array.from({ length: 24 }, (_, n) => (mixed.slice(n) + mixed).slice(0, 64)).join('\n')}\nQ7w3E9r1T5y2==\n-----END RSA PRIVATE KEY-----`
const jwt = `eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJ${mixed}${mixed}.${mixed.replace(/Q/g, '_')}${mixed}${mixed}`

/** [kind, secret]: each must go from text on both sides. */
export const anchoredSecrets: readonly (readonly [kind: string, secret: string])[] = [
  ['anthropic_key', `sk-${'ant'}-api03-${mixed.slice(0, 80)}-AA`],
  ['anthropic_key', `sk-${'ant'}-oat01-${mixed.slice(3, 70)}`],
  ['openai_key', `sk-${mixed.slice(0, 48)}`],
  ['openai_key', `sk-${'proj'}-${mixed.slice(0, 40)}_${mixed.slice(5, 30)}-${mixed.slice(0, 30)}`],
  ['openai_key', `sk-${'svcacct'}-${mixed.slice(0, 60)}`],
  ['openai_key', `sk-${'admin'}-${mixed.slice(0, 60)}`],
  ['openrouter_key', `sk-${'or'}-v1-${hex}`],
  ['google_api_key', `AIza${'Sy'}${mixed.slice(0, 33)}`],
  ['google_oauth_token', `ya29.${mixed.slice(0, 60)}`],
  ['google_client_secret', `GOCSPX-${mixed.slice(0, 28)}`],
  ['aws_access_key', `AKIA${upper.slice(0, 16)}`],
  ['aws_access_key', `ASIA${upper.slice(4, 20)}`],
  ['slack_token', `xoxb-${'123456789012'}-1234567890123-${mixed.slice(0, 24)}`],
  ['slack_token', `xoxp-${'123456789012'}-${hex.slice(0, 32)}`],
  ['slack_token', `xapp-1-A${upper.slice(0, 10)}-1234567890123-${hex}`],
  ['stripe_key', `sk_${'live'}_${mixed.slice(0, 24)}`],
  ['stripe_key', `rk_${'test'}_${mixed.slice(0, 24)}`],
  ['stripe_webhook_secret', `whsec_${mixed.slice(0, 32)}`],
  ['github_token', `ghp_${mixed.slice(0, 36)}`],
  ['github_token', `gho_${mixed.slice(1, 37)}`],
  ['github_token', `ghs_${mixed.slice(2, 38)}`],
  ['github_pat_fine', `github_pat_${mixed.slice(0, 22)}_${mixed.slice(0, 59)}`],
  ['gitlab_token', `glpat-${mixed.slice(0, 20)}`],
  ['npm_token', `npm_${mixed.slice(0, 36)}`],
  ['huggingface_token', `hf_${mixed.slice(0, 34)}`],
  ['cerebras_key', `csk-${lower.slice(0, 48)}`],
  ['together_key', `tgp_v1_${mixed.slice(0, 43)}`],
  ['groq_key', `gsk_${mixed.slice(0, 52)}`],
  ['xai_key', `xai-${mixed.slice(0, 80)}`],
  ['perplexity_key', `pplx-${mixed.slice(0, 48)}`],
  ['replicate_token', `r8_${mixed.slice(0, 37)}`],
  ['tavily_key', `tvly-${mixed.slice(0, 32)}`],
  ['langsmith_key', `lsv2_pt_${hex.slice(0, 32)}_${hex.slice(0, 10)}`],
  ['pypi_token', `pypi-AgE${mixed.slice(0, 100)}`],
  ['sendgrid_key', `SG.${mixed.slice(0, 22)}.${mixed.slice(0, 43)}`],
  ['digitalocean_token', `dop_v1_${hex}`],
  ['databricks_token', `dapi${hex.slice(0, 32)}`],
  ['linear_key', `lin_api_${mixed.slice(0, 40)}`],
  ['shopify_token', `shpat_${hex.slice(0, 32)}`],
  ['supabase_token', `sbp_${hex.slice(0, 40)}`],
  ['age_key', `AGE-SECRET-KEY-1${upper.slice(0, 58)}`],
  ['jwt', jwt],
  ['private_key_block:rsa', pemBlock],
]

/** [kind, text, what must not be left]: secrets known by what stands around them. */
export const framedSecrets: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ['url_password', `postgres://agent:${mixed.slice(0, 12)}@db.internal:5432/app`, mixed.slice(0, 12)],
  [
    'url_password',
    `mongodb+srv://root:s3cr3t!${lower.slice(0, 6)}@cluster0.mongodb.net/?retryWrites=true`,
    `s3cr3t!${lower.slice(0, 6)}`,
  ],
  ['url_password', `redis://:${lower.slice(0, 16)}@cache:6379/0`, lower.slice(0, 16)],
  ['url_password', `https://ci:${mixed.slice(0, 20)}@git.example.com/a.git`, mixed.slice(0, 20)],
  ['aws_secret_key', `aws_secret_access_key = ${mixed.slice(0, 38)}/+`, `${mixed.slice(0, 38)}/+`],
  [
    'aws_secret_key',
    `AKIA${upper.slice(0, 16)},${mixed.slice(0, 20)}/${mixed.slice(0, 19)}`,
    `${mixed.slice(0, 20)}/${mixed.slice(0, 19)}`,
  ],
  [
    'azure_key',
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${mixed.slice(0, 86)}==;EndpointSuffix=core`,
    mixed.slice(0, 86),
  ],
  [
    'slack_webhook',
    `https://hooks.slack.com/services/T${upper.slice(0, 8)}/B${upper.slice(0, 8)}/${mixed.slice(0, 24)}`,
    mixed.slice(0, 24),
  ],
  ['bearer_token', `> Authorization: Bearer ${lower.slice(0, 30)}\r\n> Accept: */*`, lower.slice(0, 30)],
  [
    'basic_auth',
    `authorization: Basic ${Buffer.from(`bob:${lower.slice(0, 12)}`).toString('base64')}\n`,
    Buffer.from(`bob:${lower.slice(0, 12)}`).toString('base64'),
  ],
  ['cookie', `< Set-Cookie: sid=${lower.slice(0, 20)}; Path=/; HttpOnly\r\n`, lower.slice(0, 20)],
  ['cookie', `> Cookie: sid=${lower.slice(0, 20)}; theme=dark\r\n>`, lower.slice(0, 20)],
  ['access_token', `{"access_token": "${lower.slice(0, 30)}", "expires_in": 3600}`, lower.slice(0, 30)],
  ['refresh_token', `{"refresh_token":"1//0${lower.slice(0, 30)}"}`, lower.slice(0, 30)],
  ['id_token', `id_token=${lower.slice(0, 30)}&state=x`, lower.slice(0, 30)],
]

/** Shapes that came later; [kind, secret] like `anchoredSecrets`. */
export const newerSecrets: readonly (readonly [kind: string, secret: string])[] = [
  ['slack_token', `xoxc-${'123456789012'}-1234567890123-${hex.slice(0, 32)}`],
  ['slack_cookie', `xoxd-${mixed.slice(0, 40)}%2B${mixed.slice(0, 20)}`],
  ['supabase_secret', `sb_${'secret'}_${mixed.slice(0, 22)}_${mixed.slice(0, 8)}`],
  ['vault_token', `hvs.${mixed.slice(0, 90)}`],
  ['docker_token', `dckr_${'pat'}_${mixed.slice(0, 27)}`],
  ['atlassian_token', `ATATT3${mixed.slice(0, 100)}${mixed.slice(0, 80)}=${upper.slice(0, 8)}`],
  ['grafana_token', `glc_${Buffer.from(`{"o":"1","n":"${mixed.slice(0, 40)}"}`).toString('base64')}`],
  ['pinecone_key', `pcsk_${mixed.slice(0, 60)}`],
  ['nvidia_key', `nvapi-${mixed.slice(0, 64)}`],
  ['sentry_token', `sntryu_${hex}`],
  ['tailscale_key', `tskey-auth-${mixed.slice(0, 12)}-${mixed.slice(4, 34)}`],
  ['doppler_token', `dp.pt.${mixed.slice(0, 43)}`],
  ['figma_token', `figd_${mixed.slice(0, 40)}`],
  ['new_relic_key', `NRAK-${upper.slice(0, 27)}`],
]
