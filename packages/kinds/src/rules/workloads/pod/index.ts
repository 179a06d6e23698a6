export { type BindingTarget, bindingRefusal, validateBinding } from './binding.ts';
export { type LogOptions, validateLogOptions } from './log-options.ts';
export { podRules } from './rules.ts';
