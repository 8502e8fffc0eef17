"""Reinforcement: an actor-critic whose whole episode is one `tf.function`."""

import collections

import numpy as np
import tensorflow as tf

seed = 42
tf.keras.utils.set_random_seed(seed)
eps = np.finfo(np.float32).eps.item()


class Corridor:
    """Nine cells; the prize lies at the right end, every step costs a little."""

    def reset(self):
        self.at = 4
        return self._seen()

    def _seen(self):
        return np.eye(9, dtype=np.float32)[self.at]

    def step(self, action):
        self.at = max(0, min(8, self.at + (1 if action else -1)))
        return self._seen(), np.float32(1.0 if self.at == 8 else -0.05), np.int32(self.at in (0, 8))


env = Corridor()


class ActorCritic(tf.keras.Model):
    def __init__(self, num_actions, num_hidden_units):
        super().__init__()
        self.common = tf.keras.layers.Dense(num_hidden_units, activation="relu")
        self.actor = tf.keras.layers.Dense(num_actions)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, inputs):
        x = self.common(inputs)
        return self.actor(x), self.critic(x)


model = ActorCritic(2, 32)


@tf.numpy_function(Tout=[tf.float32, tf.float32, tf.int32])
def env_step(action):
    return env.step(action)


def run_episode(initial_state, max_steps):
    action_probs = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    state = initial_state
    for t in tf.range(max_steps):
        action_logits_t, value = model(tf.expand_dims(state, 0))
        action = tf.random.categorical(action_logits_t, 1)[0, 0]
        action_probs = action_probs.write(t, tf.nn.softmax(action_logits_t)[0, action])
        values = values.write(t, tf.squeeze(value))
        state, reward, done = env_step(action)
        state.set_shape(initial_state.shape)
        rewards = rewards.write(t, reward)
        if tf.cast(done, tf.bool):
            break
    return action_probs.stack(), values.stack(), rewards.stack()


def expected_return(rewards, gamma):
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(dtype=tf.float32, size=n)
    discounted_sum = tf.constant(0.0)
    backwards = rewards[::-1]
    for i in tf.range(n):
        reward = backwards[i]
        discounted_sum = reward + gamma * discounted_sum
        discounted_sum.set_shape([])
        returns = returns.write(i, discounted_sum)
    returns = returns.stack()[::-1]
    return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + eps)


huber_loss = tf.keras.losses.Huber(reduction="sum")
optimizer = tf.keras.optimizers.Adam(learning_rate=0.01)


@tf.function
def train_step(initial_state, gamma, max_steps_per_episode):
    with tf.GradientTape() as tape:
        action_probs, values, rewards = run_episode(initial_state, max_steps_per_episode)
        returns = expected_return(rewards, gamma)
        advantage = returns - values
        actor_loss = -tf.math.reduce_sum(tf.math.log(action_probs) * advantage)
        loss = actor_loss + huber_loss(returns[:, None], values[:, None])
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return tf.math.reduce_sum(rewards)


max_episodes = 60
episodes_reward = collections.deque(maxlen=20)
for i in range(max_episodes):
    initial_state = tf.constant(env.reset(), dtype=tf.float32)
    episode_reward = float(train_step(initial_state, 0.99, 30))
    episodes_reward.append(episode_reward)
    if i % 20 == 19:
        print(f"Episode {i + 1}: average reward {np.mean(episodes_reward):.2f}")
print(f"Solved: {np.mean(episodes_reward) > 0}")
