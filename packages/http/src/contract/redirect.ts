/** Every redirect of the server. A `Location` is a path on the same origin, or a full URL that was configured. */

import { emptyAnswer } from './answer.ts'
import type { Answer, AnswerHeaders } from './answer.ts'

/** Redirects to a path on the same origin. `path` is escaped already, and begins with a slash. */
export function redirectToPath(status: number, path: string, headers: AnswerHeaders = {}): Answer {
  return emptyAnswer(status, { ...headers, location: sameOriginPath(path) })
}

/**
 * Redirects to a path on an origin, such as `https://host:9000`.
 * @param path Begins with a slash.
 */
export function redirectToOrigin(status: number, origin: string, path: string): Answer {
  return emptyAnswer(status, { location: `${origin}${fromRoot(path)}` })
}

/** Redirects to what a user configured: a path on the same origin, or a URL of any host. */
export function redirectAsConfigured(status: number, location: string, headers: AnswerHeaders = {}): Answer {
  if (/^https?:\/\//i.test(location)) return emptyAnswer(status, { ...headers, location })
  return redirectToPath(status, location, headers)
}

/**
 * A browser takes `//host`, `/\host` and either with a tab between for another host. An escaped second slash is the
 * same key, and not a host. Bytes beyond ASCII stay as they are.
 */
function sameOriginPath(path: string): string {
  return fromRoot(path).replace(/^\/\//, '/%2F')
}

const hidden = /[\u0000-\u0020\u007f\\]/g

/** A path without its slash would continue the host name of its origin. */
function fromRoot(path: string): string {
  const visible = path.replaceAll(hidden, encodeURIComponent)
  return visible.startsWith('/') ? visible : `/${visible}`
}
