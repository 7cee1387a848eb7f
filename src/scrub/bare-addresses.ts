/**
 * Passwords in addresses without a scheme, as the variables of some clients have them: `user:password@host:port`
 * (`memjs`), also several of them. Only in the values of variables: in other text such words occur by chance.
 */
import { holdsPlaceholder } from './placeholder.ts'

/** The password is the second group. */
const ADDRESS =
  /(?<=^|[\s,;])([^\s,;:@/<]{0,200}:)([^\s,;@/]{1,1000})(?=@[A-Za-z0-9.-]{1,255}:\d{1,5}(?:$|[\s,;/?]))/g

/** `placeholder` returns the text for a password. */
export function withoutBarePasswords(value: string, placeholder: (password: string) => string): string {
  return value.replace(ADDRESS, (found, user: string, password: string) =>
    holdsPlaceholder(password) ? found : user + placeholder(password),
  )
}
