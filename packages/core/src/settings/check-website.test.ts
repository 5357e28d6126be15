import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { checkWebsite } from './check-website.ts'
import type { WebsiteConfiguration, WebsiteRoutingRule } from './website.ts'

const indexSuffix = 'index.html'
const routed = (rule: unknown): WebsiteConfiguration => ({ indexSuffix, routingRules: [rule as WebsiteRoutingRule] })
const redirect = { replaceKeyWith: 'key' }

describe('a website', () => {
  it.each<WebsiteConfiguration>([
    { indexSuffix },
    { indexSuffix, errorKey: 'error.html', routingRules: [{ redirect }] },
    { redirectAllTo: { hostName: 'host.test:8080', protocol: 'https' } },
    routed({ condition: { keyPrefixEquals: '' }, redirect: { replaceKeyPrefixWith: '' } }),
    routed({ condition: { httpErrorCodeReturnedEquals: '404' }, redirect: { httpRedirectCode: '307', hostName: 'h' } }),
    { indexSuffix, routingRules: Array.from({ length: 50 }, () => ({ redirect })) },
  ])('may be %j', (website) => expect(checkWebsite(website)).toBeUndefined())

  it.each<[WebsiteConfiguration, string, string]>([
    [{ indexSuffix: '/index.html' }, '/index.html', 'The IndexDocument Suffix is not well formed'],
    [{ indexSuffix: '' }, '', 'The IndexDocument Suffix is not well formed'],
    [
      { errorKey: 'error.html' },
      'null',
      'A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty',
    ],
    [
      { redirectAllTo: { hostName: 'h' }, indexSuffix: '/index.html' },
      'not null',
      'RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.',
    ],
  ])('may not be %j', (website, ArgumentValue, message) => {
    expect(() => checkWebsite(website)).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        message,
        details: expect.objectContaining({ ArgumentValue }),
      }),
    )
  })

  const protocol =
    'Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.'
  it.each<[WebsiteConfiguration, string]>([
    [routed({ redirect: { protocol: 'protocol' } }), protocol],
    [{ redirectAllTo: { hostName: 'h', protocol: 'ftp' as 'http' } }, protocol],
    [{ redirectAllTo: { hostName: 'a/b' } }, 'The host name of a redirect cannot be.'],
    [routed({ redirect: { hostName: 'a\r\nset-cookie: b' } }), 'The host name of a redirect cannot be.'],
    [{ redirectAllTo: { hostName: 'host\u0001' } }, 'The host name of a redirect cannot be.'],
    [{ redirectAllTo: { hostName: 'höst' } }, 'The host name of a redirect cannot be.'],
    [
      routed({ redirect: { replaceKeyPrefixWith: 'a', replaceKeyWith: 'b' } }),
      'You can only define ReplaceKeyPrefix or ReplaceKey but not both.',
    ],
    [
      routed({ redirect, condition: {} }),
      "Condition cannot be empty. To redirect all requests without a condition, the condition element shouldn't be present.",
    ],
    [
      routed({ redirect: { httpRedirectCode: '200' } }),
      'The provided HTTP redirect code (200) is not valid. Valid codes are 3XX except 300.',
    ],
    [
      routed({ redirect, condition: { httpErrorCodeReturnedEquals: '200' } }),
      'The provided HTTP error code (200) is not valid. Valid codes are 4XX or 5XX.',
    ],
    ...['300', '306', '309', '399'].map((code): [WebsiteConfiguration, string] => [
      routed({ redirect: { httpRedirectCode: code } }),
      `The provided HTTP redirect code (${code}) is not valid. Valid codes are 3XX except 300.`,
    ]),
    ...['399', '418', '499', '506'].map((code): [WebsiteConfiguration, string] => [
      routed({ redirect, condition: { httpErrorCodeReturnedEquals: code } }),
      `The provided HTTP error code (${code}) is not valid. Valid codes are 4XX or 5XX.`,
    ]),
    [
      { indexSuffix, routingRules: Array.from({ length: 51 }, () => ({ redirect })) },
      '51 routing rules provided, the number of routing rules in a website configuration is limited to 50.',
    ],
  ])('cannot be %j', (website, message) => {
    const check = () => checkWebsite(website)
    expect(check).toThrow(expect.objectContaining({ message }))
    expect(check).toThrow(expect.toSatisfy((error: unknown) => isStorageError(error, 'InvalidRequest')))
  })
})
