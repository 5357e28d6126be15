/** Redirects of a website. */

import type { WebsiteConfiguration, WebsiteRedirect, WebsiteRoutingRule } from '@varve/core'
import type { Answer } from '../contract/answer.ts'
import { redirectToOrigin } from '../contract/redirect.ts'
import { encodePath } from '../target/percent.ts'

/** The address that the browser used for the site. */
export interface SiteAddress {
  readonly secure: boolean
  /** The Host header, with its port. */
  readonly host: string
}

/**
 * The first rule that matches. Before the object is read: rules without an error code. After an error: also rules with
 * this code. Keys are as requested, so the index document of the root has an empty key.
 */
export function routingRule(
  { routingRules = [] }: WebsiteConfiguration,
  key: string,
  error?: number,
): WebsiteRoutingRule | undefined {
  return routingRules.find(({ condition = {} }) => {
    const { keyPrefixEquals = '', httpErrorCodeReturnedEquals } = condition
    return key.startsWith(keyPrefixEquals) && httpErrorCodeReturnedEquals === error?.toString()
  })
}

export function redirectByRule({ condition, redirect }: WebsiteRoutingRule, key: string, from: SiteAddress): Answer {
  const { httpRedirectCode = '301', replaceKeyWith } = redirect
  const path = replaceKeyWith === undefined ? otherwisePrefixed(redirect, key, condition) : printable(replaceKeyWith)
  return redirectToOrigin(Number(httpRedirectCode), originOf(redirect, from), `/${path}`)
}

/** Redirects to the same path and query on another host. */
export function redirectAll(
  to: NonNullable<WebsiteConfiguration['redirectAllTo']>,
  rawUrl: string,
  from: SiteAddress,
): Answer {
  return redirectToOrigin(301, originOf(to, from), rawUrl)
}

function originOf({ protocol, hostName }: WebsiteRedirect, { secure, host }: SiteAddress): string {
  return `${protocol ?? (secure ? 'https' : 'http')}://${hostName ?? host}`
}

function otherwisePrefixed(
  { replaceKeyPrefixWith }: WebsiteRedirect,
  key: string,
  condition: WebsiteRoutingRule['condition'],
): string {
  if (replaceKeyPrefixWith === undefined) return encodePath(key)
  return printable(replaceKeyPrefixWith) + encodePath(key.slice(condition?.keyPrefixEquals?.length ?? 0))
}

/** Text in a rule is already part of a URL, with its `#` and `?`. Only characters invalid in headers are escaped. */
function printable(text: string): string {
  return text.replace(halfPair, '\ufffd').replace(/[^\x21-\x7e]/gu, encodeURIComponent)
}

const halfPair = /[\ud800-\udfff]/gu
