import { StorageError } from '../base/errors.ts'
import type { CorsRule } from './cors.ts'
import { isHeaderName } from './header-name.ts'

/** The methods that CORS rules can allow. */
export const corsMethods: ReadonlySet<string> = new Set(['GET', 'PUT', 'HEAD', 'POST', 'DELETE'])

/**
 * @throws StorageError `InvalidRequest` for an invalid rule. Exposed names go into a header, so they are checked too.
 */
export function checkCors(rules: readonly CorsRule[]): void {
  for (const { allowedMethods, allowedOrigins, allowedHeaders, exposeHeaders } of rules) {
    const method = allowedMethods.find((one) => !corsMethods.has(one))
    if (method !== undefined) {
      throw invalid(`Found unsupported HTTP method in CORS config. Unsupported method is ${method}`)
    }
    for (const origin of allowedOrigins) checkStars('AllowedOrigin', origin)
    for (const header of allowedHeaders) {
      checkStars('AllowedHeader', header)
      if (!isHeaderName(header)) throw invalid(`AllowedHeader "${header}" contains invalid character.`)
    }
    for (const header of exposeHeaders) {
      if (header.includes('*')) {
        throw invalid(
          `ExposeHeader "${header}" contains wildcard. We currently do not support wildcard for ExposeHeader.`,
        )
      }
      if (!isHeaderName(header)) throw invalid(`ExposeHeader "${header}" contains invalid character.`)
    }
  }
}

function checkStars(element: string, pattern: string): void {
  if (pattern.split('*').length > 2) throw invalid(`${element} "${pattern}" can not have more than one wildcard.`)
}

const invalid = (message: string): StorageError => new StorageError('InvalidRequest', message)
