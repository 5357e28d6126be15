/** The website configuration of a bucket. The code in `website/` serves the site. */
import type { WebsiteConfiguration, WebsiteRedirect, WebsiteRoutingRule } from '@varve/core'
import { readXml } from '../xml/read.ts'
import { list, object, optional, text } from '../xml/schema.ts'
import type { Infer } from '../xml/schema.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { S3Error } from '../errors/errors.ts'
import { malformed } from '../xml/malformed.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'WebsiteConfiguration'
const word = optional(text({ max: 1024 }))

const rule = object({
  Condition: optional(object({ HttpErrorCodeReturnedEquals: word, KeyPrefixEquals: word })),
  Redirect: object({
    HostName: word,
    HttpRedirectCode: word,
    Protocol: word,
    ReplaceKeyPrefixWith: word,
    ReplaceKeyWith: word,
  }),
})
const schema = object({
  ErrorDocument: optional(object({ Key: text({ max: 1024 }) })),
  IndexDocument: optional(object({ Suffix: text({ max: 1024 }) })),
  RedirectAllRequestsTo: optional(object({ HostName: text({ max: 1024 }), Protocol: word })),
  // More rules than allowed, so that the error can name the limit.
  RoutingRules: optional(object({ RoutingRule: list(rule, { min: 1, max: 500 }) })),
})

export const website: SettingDocument<'Website'> = {
  kind: 'Website',
  query: 'website',
  get: { name: 'GetBucketWebsite' },
  put: { name: 'PutBucketWebsite' },
  delete: { name: 'DeleteBucketWebsite' },
  bytesMax: 128 * 1024,
  read: (bytes) => websiteOf(readXml(bytes, root, schema, { bytesMax: 128 * 1024 })),
  write: (kept, context) => settingAnswer(root, context, elementsOf(kept)),
  absent(context) {
    const message = 'The specified bucket does not have a website configuration'
    throw settingAbsent('NoSuchWebsiteConfiguration', message, context)
  },
}

/** The store checks the values, as it does for every caller. */
function websiteOf(read: Infer<typeof schema>): WebsiteConfiguration {
  const { ErrorDocument, IndexDocument, RedirectAllRequestsTo, RoutingRules } = read
  if (ErrorDocument?.Key === '') {
    throw new S3Error('InvalidArgument', 'The ErrorDocument Key is not well formed', {
      details: { ArgumentName: 'ErrorDocument', ArgumentValue: '' },
    })
  }
  const others = IndexDocument ?? ErrorDocument ?? RoutingRules
  if (RedirectAllRequestsTo !== undefined && others !== undefined) {
    throw malformed('RedirectAllRequestsTo stands alone')
  }
  return {
    ...(RedirectAllRequestsTo !== undefined && { redirectAllTo: placeOf(RedirectAllRequestsTo) }),
    ...(IndexDocument !== undefined && { indexSuffix: IndexDocument.Suffix }),
    ...(ErrorDocument !== undefined && { errorKey: ErrorDocument.Key }),
    ...(RoutingRules !== undefined && { routingRules: RoutingRules.RoutingRule.map(ruleOf) }),
  }
}

function placeOf<H extends string | undefined>(read: { readonly HostName?: H; readonly Protocol?: string }) {
  return {
    ...(read.HostName !== undefined && { hostName: read.HostName }),
    ...(read.Protocol !== undefined && { protocol: read.Protocol }),
  } as { readonly hostName: NonNullable<H>; readonly protocol?: 'http' | 'https' }
}

/** Checks the rules of S3's schema that the elements alone do not express. */
function checkRule({ Condition, Redirect }: Infer<typeof rule>): void {
  if (Condition !== undefined && Object.keys(Condition).length === 0) throw malformed('a Condition is empty')
  if (Object.keys(Redirect).length === 0) throw malformed('a Redirect is empty')
  for (const code of [Redirect.HttpRedirectCode, Condition?.HttpErrorCodeReturnedEquals]) {
    if (code !== undefined && !/^\d{1,9}$/.test(code)) throw malformed('a status code is a number')
  }
}

function ruleOf(read: Infer<typeof rule>): WebsiteRoutingRule {
  checkRule(read)
  const { Condition, Redirect } = read
  const { HttpRedirectCode, ReplaceKeyPrefixWith, ReplaceKeyWith } = Redirect
  return {
    ...(Condition !== undefined && {
      condition: {
        ...(Condition.KeyPrefixEquals !== undefined && { keyPrefixEquals: Condition.KeyPrefixEquals }),
        ...(Condition.HttpErrorCodeReturnedEquals !== undefined && {
          httpErrorCodeReturnedEquals: Condition.HttpErrorCodeReturnedEquals,
        }),
      },
    }),
    redirect: {
      ...placeOf(Redirect),
      ...(HttpRedirectCode !== undefined && { httpRedirectCode: HttpRedirectCode }),
      ...(ReplaceKeyPrefixWith !== undefined && { replaceKeyPrefixWith: ReplaceKeyPrefixWith }),
      ...(ReplaceKeyWith !== undefined && { replaceKeyWith: ReplaceKeyWith }),
    },
  }
}

function elementsOf({ redirectAllTo, indexSuffix, errorKey, routingRules }: WebsiteConfiguration): readonly Xml[] {
  return [
    optionalElement('RedirectAllRequestsTo', redirectAllTo && redirectElements(redirectAllTo)),
    optionalElement('IndexDocument', indexSuffix === undefined ? undefined : [element('Suffix', indexSuffix)]),
    optionalElement('ErrorDocument', errorKey === undefined ? undefined : [element('Key', errorKey)]),
    optionalElement('RoutingRules', routingRules?.map(ruleElement)),
  ]
}

function ruleElement({ condition, redirect }: WebsiteRoutingRule): Xml {
  const conditions = condition && [
    optionalElement('HttpErrorCodeReturnedEquals', condition.httpErrorCodeReturnedEquals),
    optionalElement('KeyPrefixEquals', condition.keyPrefixEquals),
  ]
  return element('RoutingRule', [
    optionalElement('Condition', conditions),
    element('Redirect', redirectElements(redirect)),
  ])
}

function redirectElements(redirect: WebsiteRedirect): readonly Xml[] {
  return [
    optionalElement('HostName', redirect.hostName),
    optionalElement('HttpRedirectCode', redirect.httpRedirectCode),
    optionalElement('Protocol', redirect.protocol),
    optionalElement('ReplaceKeyPrefixWith', redirect.replaceKeyPrefixWith),
    optionalElement('ReplaceKeyWith', redirect.replaceKeyWith),
  ]
}
