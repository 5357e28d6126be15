/** Where the server is: the console is loaded from it, and a proxy may have put a prefix before its paths. */
export interface Endpoint {
  /** Scheme, host and prefix, without a slash at the end. */
  readonly url: string
  /** As in the header `host`, which browsers send without a default port. */
  readonly host: string
}

const consolePath = '/-/console'

/** The prefix stays in the URL. The proxy removes it, so the signature does not cover it. */
export function endpointOf({ origin, host, pathname }: Pick<Location, 'origin' | 'host' | 'pathname'>): Endpoint {
  const at = pathname.lastIndexOf(`${consolePath}/`)
  return { url: origin + (at === -1 ? '' : pathname.slice(0, at)), host }
}
