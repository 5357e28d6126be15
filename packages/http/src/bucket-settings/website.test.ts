import { describe, expect, it } from 'vitest'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText } from '../contract/answer-text.fixture.ts'
import type { Answer } from '../contract/answer.ts'
import { website } from './website.ts'

const context = objectContext()
const document = (text: string) => `<WebsiteConfiguration>${text}</WebsiteConfiguration>`
const read = (text: string) => website.read(Buffer.from(document(text)), context)

const rules = (inside: string) => `<RoutingRules><RoutingRule>${inside}</RoutingRule></RoutingRules>`

describe('a website, as a document', () => {
  it.each([
    ['<IndexDocument><Suffix>index.html</Suffix></IndexDocument>', { indexSuffix: 'index.html' }],
    [
      '<RedirectAllRequestsTo><HostName>host</HostName><Protocol>https</Protocol></RedirectAllRequestsTo>',
      { redirectAllTo: { hostName: 'host', protocol: 'https' } },
    ],
    [
      '<IndexDocument><Suffix>i</Suffix></IndexDocument><ErrorDocument><Key>e</Key></ErrorDocument><RoutingRules>' +
        '<RoutingRule><Condition><HttpErrorCodeReturnedEquals>404</HttpErrorCodeReturnedEquals>' +
        '<KeyPrefixEquals>docs/</KeyPrefixEquals></Condition><Redirect><HostName>h</HostName>' +
        '<HttpRedirectCode>307</HttpRedirectCode><Protocol>http</Protocol><ReplaceKeyPrefixWith></ReplaceKeyPrefixWith>' +
        '</Redirect></RoutingRule><RoutingRule><Redirect><ReplaceKeyWith>k</ReplaceKeyWith></Redirect></RoutingRule>' +
        '</RoutingRules>',
      {
        indexSuffix: 'i',
        errorKey: 'e',
        routingRules: [
          {
            condition: { keyPrefixEquals: 'docs/', httpErrorCodeReturnedEquals: '404' },
            redirect: { hostName: 'h', protocol: 'http', httpRedirectCode: '307', replaceKeyPrefixWith: '' },
          },
          { redirect: { replaceKeyWith: 'k' } },
        ],
      },
    ],
  ])('is read and given back: %s', (text, value) => {
    expect(read(text)).toEqual(value)
    expect(answerText(website.write(value as never, context) as Answer)).toBe(document(text))
  })

  it.each([
    '<RoutingRules/>',
    '<IndexDocument/>',
    '<RedirectAllRequestsTo/>',
    '<RoutingRules><RoutingRule/></RoutingRules>',
    rules('<Redirect/>'),
    rules('<Condition/><Redirect><HostName>h</HostName></Redirect>'),
    rules('<Redirect><HttpRedirectCode>3xx</HttpRedirectCode></Redirect>'),
    rules('<Condition><HttpErrorCodeReturnedEquals>4xx</HttpErrorCodeReturnedEquals></Condition><Redirect/>'),
    '<RedirectAllRequestsTo><HostName>h</HostName></RedirectAllRequestsTo><IndexDocument><Suffix>i</Suffix></IndexDocument>',
    '<RedirectAllRequestsTo><HostName>h</HostName></RedirectAllRequestsTo><ErrorDocument><Key>e</Key></ErrorDocument>',
  ])('is refused as %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'MalformedXML' }))
  })

  it('is refused with an empty key of its error document', () => {
    expect(() => read('<ErrorDocument><Key></Key></ErrorDocument>')).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    )
  })

  it('is missed by name', () => {
    expect(() => website.absent(context)).toThrow(
      expect.objectContaining({ code: 'NoSuchWebsiteConfiguration', details: { BucketName: 'b' } }),
    )
  })
})
