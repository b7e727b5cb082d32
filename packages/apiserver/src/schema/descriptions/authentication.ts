import type { Descriptions } from './description.ts';

export const authenticationDescriptions: Descriptions = {
  'authentication.v1.SelfSubjectReview': {
    about: 'Asks who the user of the request is.',
    fields: { status: 'The answer.' },
  },
  'authentication.v1.SelfSubjectReviewStatus': {
    about: 'Who the user is.',
    fields: { userInfo: 'User of the request.' },
  },
  'authentication.v1.TokenReview': {
    about: 'Asks whose a token is.',
    fields: { spec: 'The token.', status: 'The answer.' },
  },
  'authentication.v1.TokenReviewSpec': {
    about: 'A token to authenticate.',
    fields: {
      token: 'The token.',
      audiences: 'Audiences, one of which the token must be for; by default those of the API server.',
    },
  },
  'authentication.v1.TokenReviewStatus': {
    about: 'Whose a token is.',
    fields: {
      authenticated: 'Whether the token belongs to a known user.',
      user: 'User of the token.',
      audiences: 'Audiences that were asked for and that the token is for.',
      error: 'Why the token could not be checked.',
    },
  },
  'authentication.v1.UserInfo': {
    about: 'A user.',
    fields: {
      username: 'Name of the user.',
      uid: 'ID that tells the user from others who had or will have the name.',
      groups: 'Groups of the user.',
      extra: 'Further attributes from the authenticator.',
    },
  },
};
