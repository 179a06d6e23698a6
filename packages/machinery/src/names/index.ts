export type { Cidr } from './cidr.ts';
export { cidrContains, formatCidr, formatInterfaceAddress, hasHostBits, isValidCidr, parseCidr } from './cidr.ts';
export type { ConditionFields } from './conditions.ts';
export { validateCondition, validateConditions } from './conditions.ts';
export {
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateDns1123SubdomainCaseless,
  validateDns1123SubdomainWithUnderscore,
  validateWildcardDns1123Subdomain,
} from './dns.ts';
export {
  validateDomainPrefixedKey,
  validateDomainPrefixedPath,
  validateFullyQualifiedDomainName,
  validateFullyQualifiedName,
} from './domain-paths.ts';
export {
  isUuid,
  validateCIdentifier,
  validateConfigMapKey,
  validateEnvVarName,
  validateFieldManager,
  validateGroupId,
  validateHttpHeaderName,
  validateInRange,
  validatePercent,
  validatePortName,
  validatePortNumber,
  validateRelaxedEnvVarName,
  validateUserId,
} from './field-names.ts';
export type { IpAddress } from './ip.ts';
export { formatIp, ipFamilyOf, isIpv4InIpv6, isValidIp, parseIp } from './ip.ts';
export {
  validateCidr,
  validateInterfaceAddress,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
  warningsForCidr,
  warningsForIp,
} from './ip-fields.ts';
export { validateLabelValue, validateQualifiedName } from './label-names.ts';
export { byteLength, maxBytesMessage, maxCharactersMessage, patternMessage, rangeMessage } from './messages.ts';
export {
  dns1035LabelName,
  dns1123LabelName,
  dns1123SubdomainName,
  NAME_SUFFIX_ALPHABET,
  pathSegmentName,
  subdomainOrAnyPrefix,
} from './name-rules.ts';
export type { ObjectMetaRules, ObjectMetaUpdateRules } from './object-meta.ts';
export {
  annotationsMaxBytes,
  immutableErrors,
  metadataFields,
  validateAnnotations,
  validateFinalizers,
  validateLabelKey,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.ts';
export { validateOwnerReferences } from './owner-references.ts';
