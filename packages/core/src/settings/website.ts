/** The website configuration of a bucket. */
export interface WebsiteRedirect {
  readonly hostName?: string
  readonly protocol?: 'http' | 'https'
  readonly httpRedirectCode?: string
  readonly replaceKeyPrefixWith?: string
  readonly replaceKeyWith?: string
}

/** A redirect of a website, for a prefix of keys or for an error. */
export interface WebsiteRoutingRule {
  readonly condition?: { readonly keyPrefixEquals?: string; readonly httpErrorCodeReturnedEquals?: string }
  readonly redirect: WebsiteRedirect
}

/** How a bucket is served as a website. */
export interface WebsiteConfiguration {
  readonly redirectAllTo?: { readonly hostName: string; readonly protocol?: 'http' | 'https' }
  readonly indexSuffix?: string
  readonly errorKey?: string
  readonly routingRules?: readonly WebsiteRoutingRule[]
}
