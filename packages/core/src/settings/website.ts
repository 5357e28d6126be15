/** A bucket read as a website. */
export interface WebsiteRedirect {
  readonly hostName?: string
  readonly protocol?: 'http' | 'https'
  readonly httpRedirectCode?: string
  readonly replaceKeyPrefixWith?: string
  readonly replaceKeyWith?: string
}

export interface WebsiteRoutingRule {
  readonly condition?: { readonly keyPrefixEquals?: string; readonly httpErrorCodeReturnedEquals?: string }
  readonly redirect: WebsiteRedirect
}

export interface WebsiteConfiguration {
  readonly redirectAllTo?: { readonly hostName: string; readonly protocol?: 'http' | 'https' }
  readonly indexSuffix?: string
  readonly errorKey?: string
  readonly routingRules?: readonly WebsiteRoutingRule[]
}
