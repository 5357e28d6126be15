import { StorageError } from '../errors.ts'
import type { CorsRule } from './cors.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'PUT', 'HEAD', 'POST', 'DELETE'])
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** @throws StorageError `InvalidRequest` for what a rule cannot say; what it exposes becomes a header. */
export function checkCors(rules: readonly CorsRule[]): void {
  for (const { allowedMethods, allowedOrigins, allowedHeaders, exposeHeaders } of rules) {
    const method = allowedMethods.find((one) => !methods.has(one))
    if (method !== undefined) {
      throw invalid(`Found unsupported HTTP method in CORS config. Unsupported method is ${method}`)
    }
    for (const origin of allowedOrigins) checkStars('AllowedOrigin', origin)
    for (const header of allowedHeaders) {
      checkStars('AllowedHeader', header)
      if (!headerName.test(header)) throw invalid(`AllowedHeader "${header}" contains invalid character.`)
    }
    for (const header of exposeHeaders) {
      if (header.includes('*')) {
        throw invalid(
          `ExposeHeader "${header}" contains wildcard. We currently do not support wildcard for ExposeHeader.`,
        )
      }
      if (!headerName.test(header)) throw invalid(`ExposeHeader "${header}" contains invalid character.`)
    }
  }
}

function checkStars(element: string, pattern: string): void {
  if (pattern.split('*').length > 2) throw invalid(`${element} "${pattern}" can not have more than one wildcard.`)
}

const invalid = (message: string): StorageError => new StorageError('InvalidRequest', message)
