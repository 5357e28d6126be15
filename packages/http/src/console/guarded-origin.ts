/**
 * Objects are answered at the origin of the console. A page that somebody stored would run there, and could show a form
 * that looks like the sign-in of the console. So each answer at this origin tells the browser to run nothing of it, and to
 * give it an origin of its own. Browsers heed this only when they open the answer: programs, pictures and `fetch` of other
 * pages see no difference.
 *
 * The hosts of buckets and websites are other origins, where there is no console: their answers are those of S3.
 */

import type { AnswerHeaders } from '../contract/answer.ts'
import { bucketOfHost } from '../target/parse-target.ts'
import type { ConsoleHost } from './answer-console.ts'

/** The headers that answers to a request get if they do not have them. `undefined`: none. */
export type OriginGuard = (rawHeaders: readonly string[]) => AnswerHeaders | undefined

type GuardedHost = Pick<ConsoleHost, 'console' | 'hostSuffixes'> & { readonly websiteSuffixes: readonly string[] }

const sandbox: AnswerHeaders = { 'content-security-policy': 'sandbox' }
const guarded: AnswerHeaders = { ...sandbox, 'x-content-type-options': 'nosniff' }

/**
 * What a page is made of, as browsers name it. S3 sends no `nosniff`, and with it a browser refuses a script or a picture
 * that was stored under the type of something else.
 */
const embedded: ReadonlySet<string> = new Set(['audio', 'font', 'image', 'script', 'style', 'track', 'video'])

export function guardOf({ console: files, hostSuffixes, websiteSuffixes }: GuardedHost): OriginGuard {
  if (files === undefined) return () => undefined
  const namesBucket = (host: string | undefined): boolean =>
    bucketOfHost(host, hostSuffixes) !== undefined ||
    (websiteSuffixes.length > 0 && bucketOfHost(host, websiteSuffixes) !== undefined)
  return (rawHeaders) => {
    if (namesBucket(valueOf(rawHeaders, 'host'))) return undefined
    return embedded.has(valueOf(rawHeaders, 'sec-fetch-dest') ?? '') ? sandbox : guarded
  }
}

/** Runs for every request, so it mostly compares only the lengths of header names. */
function valueOf(rawHeaders: readonly string[], wanted: string): string | undefined {
  const at = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && name.length === wanted.length && name.toLowerCase() === wanted,
  )
  return at === -1 ? undefined : rawHeaders[at + 1]
}
