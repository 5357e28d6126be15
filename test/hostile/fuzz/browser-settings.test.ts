/** Rules for other origins and websites, spoiled: whatever is taken of them, the headers it leads to can be sent. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { CorsRule, WebsiteConfiguration } from '@varve/core'
import fc from 'fast-check'
import { checkCors } from '#core/settings/check-cors'
import { checkWebsite } from '#core/settings/check-website'
import { corsHeaders } from '#http/cors/cors-headers'
import { cors } from '#http/bucket-settings/cors'
import { website } from '#http/bucket-settings/website'
import { redirectAll, redirectByRule, routingRule } from '#http/website/routing'
import { escapeXml } from '#http/xml/write'
import { fuzz, must } from './fuzz.ts'
import { letters, near, repeated } from './mutate.ts'

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')
const anonymous = undefined as never
const some = (name: string, values: fc.Arbitrary<string>) =>
  fc.array(values, { maxLength: 3 }).map((all) => all.map((one) => `<${name}>${escapeXml(one)}</${name}>`).join(''))

const method = fc.constantFrom('GET', 'PUT', 'OPTIONS', 'get')
const pattern = fc.constantFrom('*', 'http://*.a', 'http://b', '**', 'x-amz-*', '')
const rule = fc
  .tuple(
    some('AllowedOrigin', pattern),
    some('AllowedMethod', method),
    some('AllowedHeader', pattern),
    some('ExposeHeader', fc.oneof(fc.constantFrom('ETag', 'x-amz-*', 'a\r\nb'), letters(4))),
  )
  .map((lists) => `<CORSConfiguration><CORSRule>${lists.join('')}</CORSRule></CORSConfiguration>`)

fuzz({
  name: 'CORSConfiguration body',
  inputs: near(rule, ['<AllowedOrigin>', '<MaxAgeSeconds>', '</CORSRule>', '&#13;&#10;', '*']),
  parse(text) {
    const rules = cors.read(utf8(text), anonymous) as readonly CorsRule[]
    checkCors(rules)
    return rules
  },
  check(rules) {
    const requested = { origin: 'http://b', method: 'GET', headers: [], address: undefined }
    for (const found of rules) mustBeSendable(corsHeaders(found, requested))
    must(rules.length >= 1 && rules.length <= 100, 'there are 1 to 100')
  },
  codes: ['MalformedXML', 'InvalidRequest'],
  heavy: repeated(['<CORSRule>', '<AllowedOrigin>*</AllowedOrigin>', '*'], (text) => `<CORSConfiguration>${text}`),
})

const word = fc.oneof(letters(6), fc.constantFrom('http', 'https', '404', '302', 'a/', '#!/', '\r\n', ''))
const element = (name: string) =>
  fc.option(word).map((text) => (text === null ? '' : `<${name}>${escapeXml(text)}</${name}>`))
const inside = (name: string, ...names: readonly string[]) =>
  fc.tuple(...names.map(element)).map((all) => `<${name}>${all.join('')}</${name}>`)
const site = fc
  .tuple(
    fc.constant('<IndexDocument><Suffix>index.html</Suffix></IndexDocument>'),
    inside('Condition', 'HttpErrorCodeReturnedEquals', 'KeyPrefixEquals'),
    inside('Redirect', 'HostName', 'HttpRedirectCode', 'Protocol', 'ReplaceKeyPrefixWith', 'ReplaceKeyWith'),
  )
  .map(([index, when, to]) => `${index}<RoutingRules><RoutingRule>${when}${to}</RoutingRule></RoutingRules>`)
const whole = inside('RedirectAllRequestsTo', 'HostName', 'Protocol')
const document = fc
  .oneof({ weight: 4, arbitrary: site }, { weight: 1, arbitrary: whole })
  .map((text) => `<WebsiteConfiguration>${text}</WebsiteConfiguration>`)

fuzz({
  name: 'WebsiteConfiguration body',
  inputs: near(document, ['<Redirect>', '<Condition/>', '<ReplaceKeyWith>', '&#13;&#10;', '&#x1f600;', '\ud800']),
  parse(text) {
    const read = website.read(utf8(text), anonymous) as WebsiteConfiguration
    checkWebsite(read)
    return read
  },
  check(read) {
    const address = { secure: false, host: 'site.test' }
    if (read.redirectAllTo !== undefined) mustBeSendable(redirectAll(read.redirectAllTo, '/a?b', address).headers)
    for (const error of [undefined, 404]) {
      const found = routingRule(read, 'a/é', error)
      if (found === undefined) continue
      const { status, headers } = redirectByRule(found, 'a/é', address)
      must(status > 300 && status < 310, 'it is a redirect')
      mustBeSendable(headers)
    }
  },
  codes: ['MalformedXML', 'InvalidArgument', 'InvalidRequest'],
  heavy: repeated(
    ['<RoutingRules>', '<RoutingRule><Redirect/></RoutingRule>'],
    (text) => `<WebsiteConfiguration>${text}`,
  ),
})

function mustBeSendable(headers: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
}
