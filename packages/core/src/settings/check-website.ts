import { StorageError } from '../base/errors.ts'
import type { WebsiteConfiguration, WebsiteRoutingRule } from './website.ts'

const rulesMax = 50
/** A host name, perhaps with a port. It goes into a header. */
const hostName = /^[A-Za-z0-9._:[\]-]{1,255}$/
/** The codes that S3 accepts: 306 is not used any more. */
const redirectCodes: ReadonlySet<string> = new Set(['301', '302', '303', '304', '305', '307', '308'])
const protocols: ReadonlySet<string> = new Set(['http', 'https'])

/** @throws StorageError `InvalidArgument`, `InvalidRequest` for a website that cannot be served. */
export function checkWebsite(website: WebsiteConfiguration): void {
  const { redirectAllTo, indexSuffix, errorKey, routingRules } = website
  if (redirectAllTo !== undefined) {
    if (indexSuffix !== undefined || errorKey !== undefined || routingRules !== undefined) {
      throw wrong(
        'RedirectAllRequestsTo',
        'not null',
        'RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.',
      )
    }
    return checkPlace(redirectAllTo)
  }
  if (indexSuffix === undefined) {
    const message = 'A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty'
    throw wrong('IndexDocument', 'null', message)
  }
  if (indexSuffix === '' || indexSuffix.includes('/')) {
    throw wrong('IndexDocument', indexSuffix, 'The IndexDocument Suffix is not well formed')
  }
  if (routingRules === undefined) return
  if (routingRules.length > rulesMax) {
    throw invalid(
      `${routingRules.length} routing rules provided, the number of routing rules in a website configuration is limited to ${rulesMax}.`,
    )
  }
  for (const rule of routingRules) checkRule(rule)
}

function checkRule({ condition, redirect }: WebsiteRoutingRule): void {
  const { httpRedirectCode, replaceKeyPrefixWith, replaceKeyWith } = redirect
  if (replaceKeyPrefixWith !== undefined && replaceKeyWith !== undefined) {
    throw invalid('You can only define ReplaceKeyPrefix or ReplaceKey but not both.')
  }
  if (httpRedirectCode !== undefined && !redirectCodes.has(httpRedirectCode)) {
    throw invalid(`The provided HTTP redirect code (${httpRedirectCode}) is not valid. Valid codes are 3XX except 300.`)
  }
  checkPlace(redirect)
  if (condition === undefined) return
  const { keyPrefixEquals, httpErrorCodeReturnedEquals: error } = condition
  if (keyPrefixEquals === undefined && error === undefined) {
    throw invalid(
      "Condition cannot be empty. To redirect all requests without a condition, the condition element shouldn't be present.",
    )
  }
  if (error !== undefined && !isErrorCode(Number(error))) {
    throw invalid(`The provided HTTP error code (${error}) is not valid. Valid codes are 4XX or 5XX.`)
  }
}

const isErrorCode = (code: number): boolean =>
  Number.isInteger(code) && ((code >= 400 && code <= 417) || (code >= 500 && code <= 505))

interface Place {
  readonly hostName?: string
  readonly protocol?: string
}

function checkPlace({ hostName: host, protocol }: Place): void {
  if (protocol !== undefined && !protocols.has(protocol)) {
    throw invalid(
      'Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.',
    )
  }
  if (host !== undefined && !hostName.test(host)) throw invalid('The host name of a redirect cannot be.')
}

const invalid = (message: string): StorageError => new StorageError('InvalidRequest', message)

const wrong = (name: string, value: string, message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: name, ArgumentValue: value } })
